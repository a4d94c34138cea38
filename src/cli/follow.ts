import process from 'node:process';
import type { Command } from 'commander';
import { AppError } from '../lib/errors.ts';
import { hasLiveWorker } from '../operations/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import { interruptedCode, interruptible } from './interrupt.ts';
import { writeLine } from './output.ts';
import { createProgress } from './progress.ts';
import { withSession } from './session.ts';
import { tenantDbOf } from './tenant-db.ts';
import { describeAnalyzed, describeStored, readStages, unfinishedOperations, waitForStage } from './stages.ts';
import type { Stages } from './stages.ts';
import { wholeFrom } from './values.ts';

type Options = Readonly<{ tenant: string; json?: boolean }>;
type Followed = Stages & Readonly<{ operations: readonly number[] }>;

const noWorker = 'No worker is running. This continues when the service runs: vitrine serve';

/** `vitrine follow`: shows the progress of operations until they have ended. */
export function addFollowCommand(program: Command): void {
  program
    .command('follow')
    .description('show the progress of one operation, or of all unfinished ones')
    .argument('[operation]', 'number of an operation', wholeFrom(1))
    .option('--tenant <name>', 'tenant of the operations', 'default')
    .option('--json', 'print JSON')
    .action(async (id: number | undefined, { tenant, json }: Options) => {
      const progress = createProgress({ json });
      const followed = await interruptible((signal) =>
        withSession(async (session) => {
          const db = await tenantDbOf(session, tenant);
          const ids = await operationsOf(db, id);
          const { isFinished } = await readStages(db, ids);
          if (!isFinished && !(await hasLiveWorker(session.backing.database))) progress.note(noWorker);
          const started = performance.now();
          const seconds = () => (performance.now() - started) / 1000;
          const onStages = (now: Stages) => progress.show(() => describeStages(now, seconds()));
          const stages = await waitForStage(db, ids, 'isFinished', { signal, onStages });
          progress.close();
          return { ...stages, operations: ids.map(Number) } satisfies Followed;
        }),
      );
      writeLine(followed, { json, text: () => describe(followed) });
      if (followed.failed > 0) process.exitCode = 1;
      if (!followed.isFinished) process.exitCode = interruptedCode;
    });
}

async function operationsOf(db: TenantDb, id: number | undefined): Promise<bigint[]> {
  if (id === undefined) return unfinishedOperations(db);
  const found = await db.prisma.operation.findUnique({ where: { id }, select: { id: true } });
  if (found === null) throw new AppError('not_found', `No operation ${id}.`);
  return [BigInt(id)];
}

function describeStages(stages: Stages, seconds: number): string {
  const { total, stored, failed, toAnalyze } = stages;
  const storing = stages.isStored ? [] : [describeStored(stored + failed, total, failed, 0)];
  const analyzing = toAnalyze === 0 ? [] : [describeAnalyzed(stages, seconds)];
  return [...storing, ...analyzing].join(' · ');
}

function describe({ operations, isFinished, ...stages }: Followed): string {
  if (operations.length === 0) return 'No unfinished operations.';
  const { total, stored, failed, toAnalyze, analyzed, analysisFailed } = stages;
  const names = operations.length === 1 ? `Operation ${operations[0]}` : `${operations.length} operations`;
  const analysis = toAnalyze === 0 ? '' : `; ${analyzed + analysisFailed} of ${toAnalyze} analyzed`;
  const bad = [failed > 0 ? `${failed} not stored` : '', analysisFailed > 0 ? `${analysisFailed} not analyzed` : ''];
  const faults = bad.filter((part) => part !== '').join(', ');
  const state = isFinished ? 'ended' : 'running';
  return `${names} ${state}: ${stored} of ${total} done${analysis}${faults === '' ? '' : ` (${faults})`}.`;
}
