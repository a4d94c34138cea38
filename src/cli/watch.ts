import { randomUUID } from 'node:crypto';
import process from 'node:process';
import type { Command } from 'commander';
import { resources } from '../catalog/index.ts';
import { SetupError } from '../lib/errors.ts';
import type { Notification } from '../notifications/index.ts';
import { deleteSavedFormula, findWatched, followMatches, saveAndWatch } from '../search/index.ts';
import { TenantIndexes, unrestricted } from '../similarity/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import { interruptible, readersGone } from './interrupt.ts';
import { withSession } from './session.ts';
import type { Session } from './session.ts';
import { tenantDbOf } from './tenant-db.ts';
import { wholeFrom } from './values.ts';
import { printable } from './printable.ts';

type Options = Readonly<{ tenant: string; name?: string; after?: number; count?: number; json?: boolean }>;

/** `vitrine watch`: prints records as they start or stop matching a formula. */
export function addWatchCommand(program: Command): void {
  program
    .command('watch')
    .description('print records as they begin or cease to match a formula, until Ctrl-C')
    .argument('[formula]', 'a formula, which is saved while the command runs')
    .option('--name <name>', 'a saved formula that watches, instead of a formula')
    .option('--after <number>', 'with --name: start with the events after this one', wholeFrom(0))
    .option('--count <n>', 'end after this many events', wholeFrom(1))
    .option('--tenant <name>', 'tenant of the records', 'default')
    .option('--json', 'print a line of JSON for each')
    .action(async (formula: string | undefined, options: Options) => {
      if ((formula === undefined) === (options.name === undefined))
        throw new SetupError('Give a formula, or the name of a saved one: --name NAME.');
      await interruptible((signal) => withSession((session) => watch(session, formula, options, signal)));
    });
}

async function watch(session: Session, formula: string | undefined, options: Options, signal: AbortSignal) {
  const db = await tenantDbOf(session, options.tenant);
  if (formula === undefined) return print(session, db, options.name ?? '', options, signal);
  const name = `vitrine watch ${randomUUID().slice(0, 8)}`;
  await saveTemporarily(session, db, { name, formula }, signal);
  try {
    process.stderr.write('Watching: changes from now on are printed.\n');
    await print(session, db, name, { ...options, after: 0 }, signal);
  } finally {
    await deleteSavedFormula(db, name);
  }
}

async function saveTemporarily(
  { config }: Session,
  db: TenantDb,
  { name, formula }: Readonly<{ name: string; formula: string }>,
  signal: AbortSignal,
): Promise<void> {
  const similar = new TenantIndexes(config.similarityBytes, config.workers, config.similarity);
  try {
    const deps = { beside: db, services: { similar }, caller: unrestricted(signal) };
    await saveAndWatch(db, { name, formula, replaces: false, watching: true }, deps);
  } finally {
    await similar.close();
  }
}

async function print(
  { backing }: Session,
  db: TenantDb,
  formula: string,
  { after, count, json }: Omit<Options, 'after'> & Readonly<{ after?: number | undefined }>,
  signal: AbortSignal,
): Promise<void> {
  const watched = await findWatched(db, formula);
  if (watched === null) throw new SetupError(`No formula that watches is saved as '${formula}'.`);
  const ending = AbortSignal.any([signal, readersGone()]);
  const followed = { formula: watched, after: after ?? null, resources, signal: ending };
  let printed = 0;
  for await (const event of await followMatches(db, backing.notifications, followed)) {
    if (event.kind === 'formula.ended') throw new SetupError(`The formula '${formula}' no longer watches.`);
    process.stdout.write(`${json ? JSON.stringify(toJson(event)) : printable(describe(event))}\n`);
    printed += 1;
    if (printed === count) return;
  }
}

function toJson({ number, at, kind, resource, ref, formula, data }: Notification) {
  return {
    number,
    at,
    kind: kind.replace('record.', ''),
    resource,
    id: ref,
    formula,
    deleted: data['deleted'] === true,
  };
}

function describe({ number, at, kind, resource, ref, data }: Notification): string {
  const what = kind === 'record.matched' ? 'matches' : data['deleted'] === true ? 'was deleted' : 'no longer matches';
  return `${at.toISOString()}  ${number}  ${resource} ${ref} ${what}`;
}
