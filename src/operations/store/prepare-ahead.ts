import { chunksAhead, chunkSize } from '../limits.ts';
import { measured } from '../run/measured.ts';
import { kindOf, LeaseLostError } from '../run/open-operation.ts';
import type { OpenOperation, TenantLease } from '../run/open-operation.ts';
import { cachedChunks, dropCached } from './element-cache.ts';
import { prepareChunk } from './prepare-chunk.ts';
import type { Chunk } from './prepare-chunk.ts';
import type { PreparedChunk } from './prepared-chunk.ts';
import type { WriteDeps } from './read-facts.ts';
import { beginNextChunk, markElement } from '../statements.ts';

type StoredChunk = Omit<Chunk, 'elements'> & Readonly<{ elements: Chunk['elements'] | null }>;

/** Yields the chunks that are not applied yet, in order, while the sources of the next ones are already being read. */
export async function* prepareAhead(
  lease: TenantLease,
  operation: OpenOperation,
  deps: WriteDeps,
  isOver: () => boolean,
): AsyncGenerator<PreparedChunk> {
  const options = {
    ...kindOf(operation),
    strict: operation.doStrict,
    onDuplicate: operation.onDuplicate,
    signal: lease.signal,
    limits: lease.limits,
  };
  const ahead: Promise<PreparedChunk>[] = [];
  const end = Math.ceil(operation.numTotal / chunkSize) - 1;
  let last = -1;
  for (let hasMore = true; ;) {
    while (hasMore && ahead.length < chunksAhead) {
      const chunk = await nextChunk(lease, operation, last);
      hasMore = chunk !== undefined && chunk.number < end;
      if (chunk === undefined) break;
      last = chunk.number;
      const mark = (position: number | null) => markElementOf(lease, operation, chunk, position);
      const preparing = measured('read', () => prepareChunk(lease.db, chunk, deps, { ...options, mark }));
      preparing.catch(() => {}); // It is awaited later; an error of an earlier chunk comes first.
      ahead.push(preparing);
    }
    const next = ahead.shift();
    if (next === undefined) return dropCached(lease.db, operation.id);
    yield await next;
    hasMore &&= !isOver();
  }
}

/** Reads the next chunk; its elements are read only if they are not cached. */
async function nextChunk(
  { db, processId }: TenantLease,
  { id }: OpenOperation,
  last: number,
): Promise<Chunk | undefined> {
  const atHand = cachedChunks(db, id);
  const numbers = [...atHand.keys()];
  const { rows } = await db.query<StoredChunk>(beginNextChunk, [id, last, processId, numbers]);
  const [chunk] = rows;
  return chunk && { ...chunk, elements: chunk.elements ?? atHand[chunk.number] ?? [] };
}

async function markElementOf(
  { db, leaseId }: TenantLease,
  operation: OpenOperation,
  chunk: Chunk,
  position: number | null,
): Promise<void> {
  const { rowCount } = await db.query(markElement, [operation.id, chunk.number, position, leaseId]);
  if (rowCount === 0) throw new LeaseLostError();
}
