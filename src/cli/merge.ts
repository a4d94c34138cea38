import process from 'node:process';
import type { Command } from 'commander';
import { AppError } from '../lib/errors.ts';
import { failureLines, runWrite } from './history/run-write.ts';
import { interruptible } from './interrupt.ts';
import { writeLine } from './output.ts';
import { withSession } from './session.ts';
import { tenantDbOf } from './tenant-db.ts';

type Options = Readonly<{ tenant: string; strict?: boolean; dryRun?: boolean; json?: boolean }>;

/** `vitrine merge`: keeps one of several duplicates. */
export function addMergeCommand(program: Command): void {
  program
    .command('merge')
    .description('merge duplicates: keep one, fill its empty fields from the others, and delete the others')
    .argument('<kept>', 'id of the image to keep')
    .argument('<others...>', 'ids of the images to delete')
    .option('--tenant <name>', 'tenant of the images', 'default')
    .option('--strict', 'delete all of them or none')
    .option('--dry-run', 'only report what it would do; ops show --diff shows it')
    .option('--json', 'print JSON')
    .action(merge);
}

async function merge(kept: string, others: readonly string[], options: Options): Promise<void> {
  if (others.includes(kept)) throw new AppError('invalid_argument', 'An image cannot be merged into itself.');
  const { tenant, strict = false, dryRun = false, json } = options;
  const merged = await interruptible((signal) =>
    withSession(async (session) => {
      const db = await tenantDbOf(session, tenant);
      const elements = others.map((id) => ({ id, values: {}, into: kept }));
      const { id, errors } = await runWrite(session, db, { kind: 'images.merge', elements, strict, dryRun }, signal);
      const { numGood, numBad } = await db.prisma.operation.findUniqueOrThrow({ where: { id } });
      return { operation: id, isDryRun: dryRun, kept, numGood, numBad, errors };
    }),
  );
  const done = dryRun ? 'would be merged' : 'merged';
  const undo = dryRun ? `ops show ${merged.operation} --diff shows it` : `ops undo ${merged.operation} undoes it`;
  const count = `${merged.numGood} ${merged.numGood === 1 ? 'image' : 'images'}`;
  const said = `${count} ${done} into ${kept}${merged.numGood === 0 ? '' : `; vitrine ${undo}`}`;
  writeLine(merged, { json, text: () => [said, ...failureLines(merged.errors)].join('\n') });
  if (merged.numBad > 0) process.exitCode = 1;
}
