import type { PoolClient } from 'pg';
import type { Queryable } from '../../backing/index.ts';
import type { Writing } from '../../catalog/index.ts';
import type { Logger } from '../../observability/logger.ts';
import { restAfter } from '../../lib/time-slice.ts';
import { timing } from '../../observability/metrics/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { dropAnalysis, enqueueAnalysis, leaveToAnalysis } from '../analyze/statements.ts';
import { applyChunk } from '../store/apply-chunk.ts';
import type { ApplyDeps } from '../store/apply-chunk.ts';
import type { ChunkOutcome, StoredRecord } from '../store/chunk-outcome.ts';
import { judgeDuplicates } from '../duplicates/on-duplicate.ts';
import type { Judged } from '../duplicates/on-duplicate.ts';
import { endOperation } from './end-operation.ts';
import { taskOf } from '../kinds.ts';
import { chunkSize } from '../limits.ts';
import { measured } from './measured.ts';
import { kindOf, LeaseLostError } from './open-operation.ts';
import type { OpenOperation, TenantLease } from './open-operation.ts';
import { added, errorsOf, rolledBack } from './outcomes.ts';
import { takeBack } from './take-back.ts';
import { prepareAhead } from '../store/prepare-ahead.ts';
import type { PreparedChunk } from '../store/prepared-chunk.ts';
import { withinMaximum } from '../store/quota.ts';
import type { Maximum } from '../store/quota.ts';
import type { WriteDeps } from '../store/read-facts.ts';
import { beginOperation, holdOperation, lockOperation, recordChunk } from '../statements.ts';

/** Thrown inside a transaction to leave it: the operation has been aborted. */
class AbortedError extends Error {}

/** What storing an operation needs. */
export type StoreDeps = WriteDeps & ApplyDeps;

/** Continues an operation until it is finished or the lease is over. */
export async function runOperation(lease: TenantLease, operation: OpenOperation, deps: StoreDeps): Promise<void> {
  const { db } = lease;
  if (operation.state === 'queued') {
    const { rowCount } = await db.query(beginOperation, [operation.id]);
    if (rowCount === 0) return; // Aborted since it was read.
    timing('operation_wait_seconds', {}).observe(operation.waitedSeconds);
  }
  try {
    if (operation.state === 'aborting') throw new AbortedError();
    if (taskOf(operation.kind) !== null) return await leaveTask(lease, operation, deps.logger);
    const isWhole = operation.doStrict || operation.isDryRun;
    await (isWhole ? runWhole(lease, operation, deps) : runChunks(lease, operation, deps));
  } catch (error) {
    if (!(error instanceof AbortedError) && !(await isAborting(db, operation.id))) throw error;
    await db.query(dropAnalysis, [operation.id]);
    await endOperation(db, operation.id, { isAborted: true, logger: deps.logger });
  }
}

/**
 * A search for duplicates or an export stores nothing, so it goes straight to the second stage: it sees the writes that
 * came before it, and later writes need not wait for it.
 */
async function leaveTask(lease: TenantLease, operation: OpenOperation, logger: Logger): Promise<void> {
  await inStore(lease, async (client) => {
    const { rows } = await lease.db.query<{ state: string }>(holdOperation, [operation.id, lease.leaseId], client);
    if (rows[0] === undefined) throw new LeaseLostError();
    if (rows[0].state !== 'running') throw new AbortedError();
    await lease.db.query(enqueueAnalysis, [operation.id, 0, [], []], client);
    // The total of a search is that of its images; it has one chunk, the request.
    const chunks = taskOf(operation.kind) === 'export' ? Math.ceil(operation.numTotal / chunkSize) : 1;
    await record(lease.db, client, operation, [...Array(chunks).keys()], added([]), logger);
  });
  lease.onStored();
}

/** Chunk by chunk, each in its own transaction, until the lease is over. */
async function runChunks(lease: TenantLease, operation: OpenOperation, deps: StoreDeps): Promise<void> {
  let count = 0;
  for await (const prepared of prepareAhead(lease, operation, deps, lease.isOver)) {
    const began = performance.now();
    await storeChunk(lease, operation, prepared, deps);
    count += 1;
    await restAfter(performance.now() - began, lease.db.tenantId);
  }
  // Everything is stored, but the operation is not finished: a process died in between.
  if (count > 0) return;
  await inStore(lease, async (client) => {
    await hold(lease, operation, client);
    await endStage(lease.db, operation, client, deps.logger);
  });
}

async function storeChunk(
  lease: TenantLease,
  operation: OpenOperation,
  prepared: PreparedChunk,
  deps: StoreDeps,
): Promise<void> {
  const judged = await judgeDuplicates(lease.db, prepared, { ...ruleOf(operation, deps), seen: [] });
  await inStore(lease, async (client) => {
    const held = await hold(lease, operation, client);
    const allowed = await withinMaximum(lease.db, client, judged.prepared, held);
    const outcome = await applyChunk(lease.db, client, allowed, writing(operation, held), deps);
    await judged.keep(client);
    await enqueue(lease.db, client, operation, prepared.number, outcome.stored);
    await record(lease.db, client, operation, [prepared.number], outcome, deps.logger);
  });
  lease.onStored();
  noteFiles(lease, operation, [prepared], deps);
}

/**
 * Reads every source first, then stores everything in one transaction. A strict operation keeps all of it or nothing. A
 * dry run keeps nothing but what it has learned; so each chunk meets what those before it would have stored.
 */
async function runWhole(lease: TenantLease, operation: OpenOperation, deps: StoreDeps): Promise<void> {
  const prepared: PreparedChunk[] = [];
  const keeping: Judged['keep'][] = [];
  const rule = { ...ruleOf(operation, deps), seen: [] };
  for await (const chunk of prepareAhead(lease, operation, deps, () => false)) {
    const judged = await judgeDuplicates(lease.db, chunk, rule);
    prepared.push(judged.prepared);
    keeping.push(judged.keep);
  }
  const numbers = prepared.map(({ number }) => number);
  await inStore(lease, async (client) => {
    const held = await hold(lease, operation, client);
    await client.query('SAVEPOINT batch');
    const outcomes: ChunkOutcome[] = [];
    for (const chunk of prepared) {
      const allowed = await withinMaximum(lease.db, client, chunk, held);
      const outcome = await applyChunk(lease.db, client, allowed, writing(operation, held), deps);
      await enqueue(lease.db, client, operation, chunk.number, outcome.stored);
      outcomes.push(outcome);
    }
    for (const keep of keeping) await keep(client);
    const outcome = added(outcomes);
    const isRefused = operation.doStrict && outcome.faults.length > 0;
    if (isRefused) await client.query('ROLLBACK TO SAVEPOINT batch');
    const tried = isRefused ? rolledBack(prepared, outcome.faults) : outcome;
    const kept = operation.isDryRun ? await takeBack(lease.db, client, operation, tried) : tried;
    await record(lease.db, client, operation, numbers, kept, deps.logger);
  });
  lease.onStored();
  noteFiles(lease, operation, prepared, deps);
}

/** Tells of records that may have another file now. */
function noteFiles(
  { db: { tenantId } }: TenantLease,
  operation: OpenOperation,
  chunks: readonly PreparedChunk[],
  { onFiles }: WriteDeps,
): void {
  const ready = chunks.flatMap((chunk) => chunk.ready);
  const ids = ready.filter(({ write }) => write.facts !== null).map(({ write }) => write.id);
  if (ids.length > 0) onFiles?.({ tenantId, resource: kindOf(operation).resource, ids });
}

function ruleOf({ id: operationId, onDuplicate }: OpenOperation, { similar, logger }: WriteDeps) {
  return { operationId, onDuplicate, similar, logger };
}

function inStore({ db, limits }: TenantLease, work: (client: PoolClient) => Promise<void>): Promise<void> {
  return limits.storing.run(db.tenantId, () => measured('store', () => db.transaction(work)));
}

/** The tenant's settings that apply to an operation, read while it is locked. */
type Held = Maximum & Readonly<{ analyses: boolean }>;

/** Checks that this worker still has the tenant's lease and that the operation is to continue. */
async function hold(lease: TenantLease, operation: OpenOperation, client: PoolClient): Promise<Held> {
  const { rows } = await lease.db.query<{
    state: string;
    maxImages: number | null;
    maxVideos: number | null;
    analysis: boolean | null;
  }>(holdOperation, [operation.id, lease.leaseId], client);
  if (rows[0] === undefined) throw new LeaseLostError();
  if (rows[0].state !== 'running') throw new AbortedError();
  const { maxImages, maxVideos, analysis } = rows[0];
  return {
    ...kindOf(operation),
    maxima: { image: maxImages, video: maxVideos },
    analyses: analysis ?? lease.analysesByDefault,
  };
}

async function isAborting(db: TenantDb, id: number): Promise<boolean> {
  const { rows } = await db.query<{ state: string }>(lockOperation, [id]);
  return rows[0]?.state === 'aborting';
}

type Recorded = Readonly<{ applied: number; hasMore: boolean; isAnalyzing: boolean }>;

/** Adds the chunks and their errors to the counters; the last chunks finish the operation. */
async function record(
  db: TenantDb,
  client: PoolClient,
  operation: OpenOperation,
  numbers: readonly number[],
  { good, created, faults, met }: ChunkOutcome,
  logger: Logger,
): Promise<void> {
  const counts = [good, faults.length, created];
  const values = [operation.id, numbers, ...counts, JSON.stringify(errorsOf(faults)), JSON.stringify(met)];
  const { rows: recorded } = await db.query<Recorded>(recordChunk, values, client);
  if (recorded[0]?.applied !== numbers.length) throw new LeaseLostError(); // Another worker applied it.
  if (recorded[0].hasMore) return;
  if (recorded[0].isAnalyzing) await endStage(db, operation, client, logger);
  else await endOperation(db, operation.id, { isAborted: false, client, logger });
}

/** Everything is stored: the analysis continues on its own, and the tenant's next operation begins. */
async function endStage(db: TenantDb, operation: OpenOperation, client: Queryable, logger: Logger): Promise<void> {
  const { rowCount } = await db.query(leaveToAnalysis, [operation.id], client);
  if (rowCount === 0) await endOperation(db, operation.id, { isAborted: false, client, logger });
}

async function enqueue(
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

function writing(operation: OpenOperation, { resource, action, analyses }: Held): Writing {
  // An explicit request for analysis overrides the tenant's default.
  const isAnalyzed = analyses || action === 'analyze';
  const { lang, doRespectLocks: respectsLocks } = operation;
  return { resource, action, lang, aiStatus: isAnalyzed ? 'pending' : null, respectsLocks };
}
