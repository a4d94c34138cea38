import { restAfter } from '../../lib/time-slice.ts';
import { timing } from '../../observability/metrics/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { dropAnalysis, enqueueAnalysis } from '../analyze/statements.ts';
import { judgeDuplicates } from '../duplicates/on-duplicate.ts';
import type { Judged } from '../duplicates/on-duplicate.ts';
import { taskOf } from '../kinds.ts';
import { chunkSize } from '../limits.ts';
import { beginOperation } from '../statements.ts';
import { applyChunk } from '../store/apply-chunk.ts';
import type { ChunkOutcome } from '../store/chunk-outcome.ts';
import { prepareAhead } from '../store/prepare-ahead.ts';
import type { PreparedChunk } from '../store/prepared-chunk.ts';
import { combine } from '../store/chunk-outcome.ts';
import { withinMaximum } from '../store/quota.ts';
import { endOperation } from './end-operation.ts';
import { AbortedError, endStage, enqueue, hold, inStore, record, writing } from './hold.ts';
import { LeaseLostError } from './open-operation.ts';
import type { OpenOperation, TenantLease } from './open-operation.ts';
import { rolledBack } from './outcomes.ts';
import { holdOperation, lockOperation } from './statements.ts';
import { ChunkStore, noteFiles, ruleOf } from './store-chunk.ts';
import type { StoreDeps } from './store-chunk.ts';
import { takeBack } from './take-back.ts';

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
    if (taskOf(operation.kind) !== null) return await leaveTask(lease, operation, deps);
    const isWhole = operation.doStrict || operation.isDryRun;
    await (isWhole ? runWhole(lease, operation, deps) : runChunks(lease, operation, deps));
  } catch (error) {
    if (!(error instanceof AbortedError) && !(await isAborting(db, operation.id))) throw error;
    await db.query(dropAnalysis, [operation.id]);
    await endOperation(db, operation.id, { isAborted: true, logger: deps.logger });
  }
}

/**
 * A task stores nothing, so it goes straight to the second stage: it sees the writes that came before it, and later
 * writes need not wait for it.
 */
async function leaveTask(lease: TenantLease, operation: OpenOperation, deps: StoreDeps): Promise<void> {
  await inStore(lease, async (client) => {
    const { rows } = await lease.db.query<{ state: string }>(holdOperation, [operation.id, lease.leaseId], client);
    if (rows[0] === undefined) throw new LeaseLostError();
    if (rows[0].state !== 'running') throw new AbortedError();
    await lease.db.query(enqueueAnalysis, [operation.id, 0, [], []], client);
    // The total of a duplicate search is its number of images, but it has a single chunk: the request.
    const chunks = taskOf(operation.kind) === 'export' ? Math.ceil(operation.numTotal / chunkSize) : 1;
    await record(lease.db, client, operation, [...Array(chunks).keys()], combine([]), deps);
  });
  lease.onStored();
}

/** Stores chunk by chunk, each in its own transaction, until the lease is over. */
async function runChunks(lease: TenantLease, operation: OpenOperation, deps: StoreDeps): Promise<void> {
  let count = 0;
  const store = new ChunkStore(lease, operation, deps);
  try {
    for await (const prepared of prepareAhead(lease, operation, deps, lease.isOver)) {
      const began = performance.now();
      await store.add(prepared);
      count += 1;
      await restAfter(performance.now() - began, lease.db.tenantId);
    }
    await store.ended();
  } finally {
    await store.idle();
  }
  // Everything is stored, but the operation is not finished: a process died in between.
  if (count > 0) return;
  await inStore(lease, async (client) => {
    await hold(lease, operation, client);
    await endStage(lease.db, operation, client, deps.logger);
  });
}

/**
 * Reads every source first, then stores everything in one transaction. A strict operation keeps all of it or nothing.
 * A dry run keeps only its results; still, each chunk sees what those before it would have stored.
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
    const outcome = combine(outcomes);
    const isRefused = operation.doStrict && outcome.faults.length > 0;
    if (isRefused) await client.query('ROLLBACK TO SAVEPOINT batch');
    const tried = isRefused ? rolledBack(prepared, outcome.faults) : outcome;
    const kept = operation.isDryRun ? await takeBack(lease.db, client, operation, tried) : tried;
    await record(lease.db, client, operation, numbers, kept, deps);
  });
  lease.onStored();
  noteFiles(lease, operation, prepared, deps);
}

async function isAborting(db: TenantDb, id: number): Promise<boolean> {
  const { rows } = await db.query<{ state: string }>(lockOperation, [id]);
  return rows[0]?.state === 'aborting';
}
