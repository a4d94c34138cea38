import process from 'node:process';
import type { Command } from 'commander';
import { excerpt } from '../../lib/excerpt.ts';
import { interruptible } from '../interrupt.ts';
import { writeLine } from '../output.ts';
import { withSession } from '../session.ts';
import { tenantDbOf } from '../tenant-db.ts';
import { failureLines, runWrite } from './run-write.ts';

type Options = Readonly<{ tenant: string; video?: boolean; yes?: boolean; json?: boolean }>;

/** `vitrine purge`: removes records and their history. */
export function addPurgeCommand(program: Command): void {
  program
    .command('purge')
    .description('purge records with their history, including deleted ones')
    .argument('<id...>', 'ids of the records')
    .requiredOption('--yes', 'confirm: this cannot be undone')
    .option('--tenant <name>', 'tenant of the records', 'default')
    .option('--video', 'the records are videos')
    .option('--json', 'print JSON')
    .action(purge);
}

async function purge(ids: readonly string[], { tenant, video, json }: Options): Promise<void> {
  const purged = await interruptible((signal) =>
    withSession(async (session) => {
      const db = await tenantDbOf(session, tenant);
      const resource = video === true ? 'video' : 'image';
      const subject = excerpt(`${ids.length} ${resource}s: ${ids.join(', ')}`, 2_000);
      const elements = ids.map((each) => ({ id: each, values: {} }));
      const audit = { action: 'record.purged', subject } as const;
      const { id, errors } = await runWrite(session, db, { kind: `${resource}s.purge`, elements, audit }, signal);
      const { numGood } = await db.prisma.operation.findUniqueOrThrow({ where: { id }, select: { numGood: true } });
      return { operation: Number(id), purged: numGood, errors };
    }),
  );
  const { operation, purged: count, errors } = purged;
  const failed = errors.map(({ ref, ...why }) => ({ id: ref, ...why }));
  writeLine(
    { operation, purged: count, failed },
    {
      json,
      text: () => [`${count} purged, with their history.`, ...failureLines(errors)].join('\n'),
    },
  );
  if (failed.length > 0) process.exitCode = 1;
}
