import { setTimeout as sleep } from 'node:timers/promises';
import type { TenantDb } from '../tenants/index.ts';
import { pace } from './progress.ts';

/** Interval for polling operations, in milliseconds. */
const pollMs = 250;

/** Combined progress of operations. */
export type Stages = Readonly<{
  total: number;
  stored: number;
  failed: number;
  toAnalyze: number;
  analyzed: number;
  analysisFailed: number;
  /** Everything is stored or failed. */
  isStored: boolean;
  /** The analysis has ended, too. */
  isFinished: boolean;
}>;

/** Reads the combined progress of operations. An operation that no longer exists ended long ago. */
export async function readStages(db: TenantDb, ids: readonly bigint[]): Promise<Stages> {
  const rows = await db.prisma.operation.findMany({ where: { id: { in: [...ids] } } });
  const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + of(row), 0);
  return {
    total: sum(({ numTotal }) => numTotal),
    stored: sum(({ numGood }) => numGood),
    failed: sum(({ numBad }) => numBad),
    toAnalyze: sum(({ numToAnalyze }) => numToAnalyze),
    analyzed: sum(({ numAnalyzed }) => numAnalyzed),
    analysisFailed: sum(({ numAnalysisBad }) => numAnalysisBad),
    isStored: rows.every(({ state }) => state === 'finished' || state === 'analyzing'),
    isFinished: rows.every(({ state }) => state === 'finished'),
  };
}

/** The unfinished operations of a tenant, oldest first. */
export async function unfinishedOperations(db: TenantDb): Promise<bigint[]> {
  const where = { state: { not: 'finished' as const } };
  const rows = await db.prisma.operation.findMany({ where, select: { id: true }, orderBy: { id: 'asc' } });
  return rows.map(({ id }) => BigInt(id));
}

/** Called while operations are awaited; an error ends the waiting. */
type OnStages = (stages: Stages) => void | Promise<void>;

/** Polls operations until they are stored or finished, or the signal fires. @returns their last state. */
export async function waitForStage(
  db: TenantDb,
  ids: readonly bigint[],
  stage: 'isStored' | 'isFinished',
  { signal, onStages }: Readonly<{ signal: AbortSignal; onStages: OnStages }>,
): Promise<Stages> {
  for (;;) {
    const stages = await readStages(db, ids);
    await onStages(stages);
    if (stages[stage] || signal.aborted) return stages;
    await sleep(pollMs, undefined, { signal }).catch(() => {});
  }
}

const failures = (count: number) => (count === 0 ? '' : ` · ${count} failed`);

/** "stored 40 of 60 · 6.1 a second · 3 s left · 1 failed". */
export function describeStored(done: number, total: number, failed: number, seconds: number): string {
  return `stored ${done} of ${total}${pace(done, total, seconds)}${failures(failed)}`;
}

/** "analyzed 3 of 40 · 30 a minute · 74 s left"; failed analyses count as analyzed. */
export function describeAnalyzed({ toAnalyze, analyzed, analysisFailed }: Stages, since: number): string {
  const done = analyzed + analysisFailed;
  return `analyzed ${done} of ${toAnalyze}${pace(done, toAnalyze, since)}${failures(analysisFailed)}`;
}
