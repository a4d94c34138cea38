import process from 'node:process';
import { Option } from 'commander';
import type { Command } from 'commander';
import { listOperationChanges, onConflicts } from '../../catalog/index.ts';
import type { ElementChange, OnConflict, Resource } from '../../catalog/index.ts';
import { AppError } from '../../lib/errors.ts';
import { readUndo } from '../../operations/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { interruptible } from '../interrupt.ts';
import { formatDate, writeLine } from '../output.ts';
import { withSession } from '../session.ts';
import { tenantDbOf } from '../tenant-db.ts';
import { wholeFrom } from '../values.ts';
import { fieldLines, paints } from './fields-text.ts';
import { failureLines, runWrite } from './run-write.ts';

type Options = Readonly<{ tenant: string; json?: boolean }>;
type ShowOptions = Options & Readonly<{ diff?: boolean; limit: number }>;
type UndoOptions = Options & Readonly<{ onConflict: OnConflict; strict?: boolean; dryRun?: boolean }>;

/** `vitrine ops`: shows what operations did, and undoes one. */
export function addOperationCommands(program: Command): void {
  const ops = program.command('ops').description('show or undo what an operation did');
  ops
    .command('show')
    .description('show an operation')
    .argument('<operation>', 'number of the operation', wholeFrom(1))
    .option('--tenant <name>', 'tenant of the operation', 'default')
    .option('--diff', 'also show what it did to each record')
    .option('--limit <n>', 'maximum number of records', wholeFrom(1), 1000)
    .option('--json', 'print JSON')
    .action(showOperation);
  ops
    .command('undo')
    .description('undo an operation; the undo is an operation, too')
    .argument('<operation>', 'number of the operation', wholeFrom(1))
    .option('--tenant <name>', 'tenant of the operation', 'default')
    .addOption(
      new Option('--on-conflict <rule>', 'what to do with fields that have been changed since')
        .choices(onConflicts)
        .default('skip'),
    )
    .option('--strict', 'undo all of it or nothing')
    .option('--dry-run', 'only report what it would do; ops show --diff shows it')
    .option('--json', 'print JSON')
    .action(undoOperation);
}

async function showOperation(id: number, { tenant, diff, limit, json }: ShowOptions): Promise<void> {
  const shown = await withSession(async (session) => {
    const db = await tenantDbOf(session, tenant);
    const operation = await findOperation(db, id);
    if (diff !== true) return operation;
    const asked = { id, resource: operation.resource, isDryRun: operation.isDryRun };
    const everything = { element: null, field: null, kind: null };
    const page = await listOperationChanges(db, asked, everything, { page: 1, limit });
    return { ...operation, changes: page.results, numChanges: await page.count() };
  });
  const text = () => [headOf(shown), ...('changes' in shown ? diffOf(shown) : [])].join('\n');
  writeLine(shown, { json, isPainted: true, text });
}

type Shown = Awaited<ReturnType<typeof findOperation>>;

async function findOperation(db: TenantDb, id: number) {
  const found = await db.prisma.operation.findFirst({ where: { id } });
  if (found === null || found.resource === 'celebs') throw new AppError('not_found', `No operation ${id}.`);
  const { kind, state, isDryRun, numTotal, numGood, numBad, numCreated, createdAt, finishedAt } = found;
  const resource: Resource = found.resource;
  return { id, kind, resource, state, isDryRun, numTotal, numGood, numBad, numCreated, createdAt, finishedAt };
}

function headOf({ id, kind, state, isDryRun, numTotal, numGood, numBad, createdAt }: Shown): string {
  const shownKind = isDryRun ? `${kind} (dry run)` : kind;
  return `Operation ${id}  ${shownKind}  ${state}  ${formatDate(createdAt)}: ${numGood} of ${numTotal} good, ${numBad} failed`;
}

function diffOf({
  changes,
  numChanges,
}: Readonly<{ changes: readonly ElementChange[]; numChanges: number }>): string[] {
  const { heading } = paints();
  const lines = changes.flatMap(({ ref, kind, fields, failure }) => [
    heading(`${kind} ${ref}${failure === null ? '' : ` (${failure.code}: ${failure.message})`}`),
    ...fieldLines(fields),
  ]);
  const left = numChanges - changes.length;
  return left > 0 ? [...lines, `… and ${left} more; --limit shows more of them`] : lines;
}

async function undoOperation(id: number, { tenant, onConflict, strict, dryRun, json }: UndoOptions): Promise<void> {
  const undone = await interruptible((signal) =>
    withSession(async (session) => {
      const db = await tenantDbOf(session, tenant);
      const undo = await readUndo(db, id, onConflict);
      if (undo === null) throw new AppError('not_found', `No operation ${id}.`);
      const { kind, elements } = undo;
      const audit = { action: 'operation.undone', subject: String(id) } as const;
      const write = { kind, elements, strict: strict === true || onConflict === 'fail' };
      const own = await runWrite(session, db, dryRun === true ? { ...write, dryRun } : { ...write, audit }, signal);
      return { ...(await findOperation(db, own.id)), errors: own.errors };
    }),
  );
  writeLine(undone, { json, text: () => [headOf(undone), ...failureLines(undone.errors)].join('\n') });
  if (undone.numBad > 0) process.exitCode = 1;
}
