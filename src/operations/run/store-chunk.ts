import { judgeDuplicates } from '../duplicates/on-duplicate.ts';
import { chunksTogether, parallelStoresOfTenant } from '../limits.ts';
import { applyChunk } from '../store/apply-chunk.ts';
import type { ApplyDeps } from '../store/apply-chunk.ts';
import type { PreparedChunk } from '../store/prepared-chunk.ts';
import { withinMaximum } from '../store/quota.ts';
import type { WriteDeps } from '../store/read-facts.ts';
import { enqueue, hold, inStore, record, readSettings, writing } from './hold.ts';
import { kindOf } from './open-operation.ts';
import type { OpenOperation, TenantLease } from './open-operation.ts';

/** Dependencies for storing an operation. */
export type StoreDeps = WriteDeps & ApplyDeps;

/** Stores one chunk in its own transaction, while nothing else of the tenant is being stored. */
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
    await record(lease.db, client, operation, [prepared.number], outcome, deps);
  });
  lease.onStored();
  noteFiles(lease, operation, [prepared], deps);
}

/** Thrown if the chunk must be stored on its own. */
class NotParallelError extends Error {}

/**
 * Stores chunks of new records together, while others are being stored: the operation is held only at the end, after
 * the records are written. If anything fails, nothing is stored.
 */
async function storeInParallel(
  lease: TenantLease,
  operation: OpenOperation,
  chunks: readonly PreparedChunk[],
  deps: StoreDeps,
): Promise<void> {
  const [ready, faults] = [chunks.flatMap((chunk) => chunk.ready), chunks.flatMap((chunk) => chunk.faults)];
  await inStore(lease, async (client) => {
    const settings = await readSettings(lease, operation, client);
    // How many records may still be added is only known while nothing else is being stored.
    if (settings.maxima[settings.resource] !== null) throw new NotParallelError();
    const own = writing(operation, settings);
    const outcome = await applyChunk(lease.db, client, { ready, faults }, own, { ...deps, isWhole: true });
    await hold(lease, operation, client);
    const numbers = chunks.map(({ number }) => number);
    await record(lease.db, client, operation, numbers, outcome, deps);
  });
  lease.onStored();
}

/**
 * Stores chunks in order of arrival. New records with their analyses are the exception: several of their chunks are
 * stored at once and in parallel, because their order does not matter.
 */
export class ChunkStore {
  readonly #store: (prepared: PreparedChunk) => Promise<void>;
  readonly #storeInParallel: (chunks: readonly PreparedChunk[]) => Promise<void>;
  readonly #isQuiet: () => boolean;
  readonly #running = new Set<Promise<void>>();
  /** Chunks to be stored together. */
  #gathered: PreparedChunk[] = [];
  /** Chunks that could not be stored in parallel with others. */
  readonly #left: PreparedChunk[] = [];
  #isAlone: boolean;

  constructor(lease: TenantLease, operation: OpenOperation, deps: StoreDeps) {
    this.#store = (prepared) => storeChunk(lease, operation, prepared, deps);
    this.#storeInParallel = (chunks) => storeInParallel(lease, operation, chunks, deps);
    this.#isQuiet = lease.limits.isQuiet;
    this.#isAlone = kindOf(operation).action !== 'create' || deps.isOneByOne === true;
  }

  /** Stores a chunk, or collects it to be stored in parallel with others. */
  async add(prepared: PreparedChunk): Promise<void> {
    const isBeside = !this.#isAlone && prepared.ready.every(({ write }) => write.analysis !== undefined);
    if (!isBeside) {
      await this.ended();
      return this.#store(prepared);
    }
    this.#gathered.push(prepared);
    if (this.#gathered.length >= (this.#isQuiet() ? chunksTogether : 1)) await this.#begin();
  }

  /** Resolves when everything that was added is stored. @throws the error that prevented a chunk from being stored */
  async ended(): Promise<void> {
    await this.#begin();
    await this.idle();
    const left = this.#left.splice(0).toSorted((one, other) => one.number - other.number);
    for (const prepared of left) await this.#store(prepared);
  }

  /** Resolves when nothing is being stored. */
  async idle(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #begin(): Promise<void> {
    const chunks = this.#gathered;
    if (chunks.length === 0) return;
    this.#gathered = [];
    const storing = this.#storeInParallel(chunks)
      .catch(() => {
        this.#isAlone = true; // If the cause persists, it is reported when they are stored alone.
        this.#left.push(...chunks);
      })
      .finally(() => this.#running.delete(storing));
    this.#running.add(storing);
    const most = this.#isQuiet() ? parallelStoresOfTenant : 1;
    while (this.#running.size >= most) await Promise.race(this.#running);
    if (this.#left.length > 0) await this.ended();
  }
}

/** Reports records whose file may have changed. */
export function noteFiles(
  { db: { tenantId } }: TenantLease,
  operation: OpenOperation,
  chunks: readonly PreparedChunk[],
  { onFiles }: WriteDeps,
): void {
  const ready = chunks.flatMap((chunk) => chunk.ready);
  const ids = ready.filter(({ write }) => write.facts !== null).map(({ write }) => write.id);
  if (ids.length > 0) onFiles?.({ tenantId, resource: kindOf(operation).resource, ids });
}

/** The rule for pictures that already exist. */
export function ruleOf({ id: operationId, onDuplicate }: OpenOperation, { similar, logger }: WriteDeps) {
  return { operationId, onDuplicate, similar, logger };
}
