import { chunksAhead, chunkSize } from './limits.ts';
import { measured } from './measured.ts';
import { kindOf, TurnLostError } from './open-operation.ts';
import type { OpenOperation, Turn } from './open-operation.ts';
import { prepareChunk } from './prepare-chunk.ts';
import type { Chunk, PreparedChunk } from './prepare-chunk.ts';
import type { WriteDeps } from './read-facts.ts';
import { beginNextChunk, markElement } from './statements.ts';

/** The chunks that are not applied yet, in order, with the sources of the next ones being read meanwhile. */
export async function* prepareAhead(
  turn: Turn,
  operation: OpenOperation,
  deps: WriteDeps,
  isOver: () => boolean,
): AsyncGenerator<PreparedChunk> {
  const options = {
    ...kindOf(operation),
    strict: operation.doStrict,
    onDuplicate: operation.onDuplicate,
    signal: turn.signal,
    limits: turn.limits,
  };
  const ahead: Promise<PreparedChunk>[] = [];
  const end = Math.ceil(operation.numTotal / chunkSize) - 1;
  let last = -1;
  for (let hasMore = true; ;) {
    while (hasMore && ahead.length < chunksAhead) {
      const { rows } = await turn.db.query<Chunk>(beginNextChunk, [operation.id, last, turn.processId]);
      const [chunk] = rows;
      hasMore = chunk !== undefined && chunk.number < end;
      if (chunk === undefined) break;
      last = chunk.number;
      const mark = (position: number | null) => markElementOf(turn, operation, chunk, position);
      const preparing = measured('read', () => prepareChunk(turn.db, chunk, deps, { ...options, mark }));
      preparing.catch(() => {}); // It is awaited when its turn comes; an error before it comes first.
      ahead.push(preparing);
    }
    const next = ahead.shift();
    if (next === undefined) return;
    yield await next;
    hasMore &&= !isOver();
  }
}

async function markElementOf(
  { db, holder }: Turn,
  operation: OpenOperation,
  chunk: Chunk,
  position: number | null,
): Promise<void> {
  const { rowCount } = await db.query(markElement, [operation.id, chunk.number, position, holder]);
  if (rowCount === 0) throw new TurnLostError();
}
