import type { PoolClient } from 'pg';
import { enqueueAnalysis, leaveToAnalysis } from '../analyze/statements.ts';
import type { Queryable } from '../../backing/index.ts';
import type { Writing } from '../../catalog/index.ts';
import type { Logger } from '../../observability/logger.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { ApplyDeps } from '../store/apply-chunk.ts';
import type { ChunkOutcome, StoredRecord } from '../store/chunk-outcome.ts';
import type { Maximum } from '../store/quota.ts';
import { endOperation } from './end-operation.ts';
import { measured } from './measured.ts';
import { kindOf, LeaseLostError } from './open-operation.ts';
import type { OpenOperation, TenantLease } from './open-operation.ts';
import { errorsOf } from './outcomes.ts';
import { holdOperation, recordChunk, operationSettings } from './statements.ts';

/** Thrown inside a transaction to roll it back: the operation has been aborted. */
export class AbortedError extends Error {}

/** Runs a transaction that stores something, when it is the tenant's turn. */
export function inStore({ db, stores }: TenantLease, work: (client: PoolClient) => Promise<void>): Promise<void> {
  return stores.run(db.tenantId, () => measured('store', () => db.transaction(work)));
}

/** The tenant's settings that apply to an operation. */
type Held = Maximum & Readonly<{ analyses: boolean }>;

/**
 * Checks that this worker still has the tenant's lease and that the operation may continue, and locks both until the
 * transaction ends.
 */
export async function hold(lease: TenantLease, operation: OpenOperation, client: PoolClient): Promise<Held> {
  return settingsOf(lease, operation, client, holdOperation);
}

/** Like `hold`, but locks nothing: the transaction has to call `hold` before it ends. */
export async function readSettings(lease: TenantLease, operation: OpenOperation, client: PoolClient): Promise<Held> {
  return settingsOf(lease, operation, client, operationSettings);
}

async function settingsOf(
  lease: TenantLease,
  operation: OpenOperation,
  client: PoolClient,
  statement: typeof holdOperation,
): Promise<Held> {
  const { rows } = await lease.db.query<{
    state: string;
    maxImages: number | null;
    maxVideos: number | null;
    analysis: boolean | null;
  }>(statement, [operation.id, lease.leaseId], client);
  if (rows[0] === undefined) throw new LeaseLostError();
  if (rows[0].state !== 'running') throw new AbortedError();
  const { maxImages, maxVideos, analysis } = rows[0];
  return {
    ...kindOf(operation),
    maxima: { image: maxImages, video: maxVideos },
    analyses: analysis ?? lease.analysesByDefault,
  };
}

type Recorded = Readonly<{ applied: number; hasMore: boolean; isAnalyzing: boolean }>;

/** Adds the outcome of chunks to the counters and errors; the last chunk finishes the operation. */
export async function record(
  db: TenantDb,
  client: PoolClient,
  operation: OpenOperation,
  numbers: readonly number[],
  { good, created, faults, met }: ChunkOutcome,
  { logger, isOneByOne = false }: ApplyDeps,
): Promise<void> {
  const counts = [good, faults.length, created];
  const lists = [JSON.stringify(errorsOf(faults)), JSON.stringify(met)];
  const values = [operation.id, numbers, ...counts, ...lists, isOneByOne];
  const { rows: recorded } = await db.query<Recorded>(recordChunk, values, client);
  if (recorded[0]?.applied !== numbers.length) throw new LeaseLostError(); // Another worker applied it.
  if (recorded[0].hasMore) return;
  if (recorded[0].isAnalyzing) await endStage(db, operation, client, logger);
  else await endOperation(db, operation.id, { isAborted: false, client, logger });
}

/** Ends the store stage: the analysis continues independently, and the tenant's next operation can start. */
export async function endStage(
  db: TenantDb,
  operation: OpenOperation,
  client: Queryable,
  logger: Logger,
): Promise<void> {
  const { rowCount } = await db.query(leaveToAnalysis, [operation.id], client);
  if (rowCount === 0) await endOperation(db, operation.id, { isAborted: false, client, logger });
}

/** Enqueues stored records for analysis. */
export async function enqueue(
  db: TenantDb,
  client: PoolClient,
  operation: OpenOperation,
  number: number,
  stored: readonly StoredRecord[],
): Promise<void> {
  if (stored.length === 0) return;
  const positions = stored.map(({ position }) => position);
  await db.query(enqueueAnalysis, [operation.id, number, positions, stored.map(({ id }) => id)], client);
}

/** How the records of an operation are to be written. */
export function writing(operation: OpenOperation, { resource, action, analyses }: Held): Writing {
  // An explicit request for analysis overrides the tenant's default.
  const isAnalyzed = analyses || action === 'analyze';
  const { lang, doRespectLocks: respectsLocks } = operation;
  return { resource, action, lang, aiStatus: isAnalyzed ? 'pending' : null, respectsLocks };
}
