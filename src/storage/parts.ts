import type { FileStore } from './store.ts';

/** Where the bytes of a file are that is stored in parts of these sizes. */
export type StoredParts = Readonly<{ id: string; parts: readonly number[] }>;

/** The name of a part in the store. Parts stay where they were written, since buckets cannot rename. */
export function partName(tenantId: number, id: string, offset: number): string {
  return `${tenantId}/${id.slice(0, 2)}/${id}-${offset}`;
}

/** Yields the bytes from `start` up to `end`, one part at a time. @throws Error if the store lacks a part. */
export async function* partsOf(
  store: FileStore,
  tenantId: number,
  { id, parts }: StoredParts,
  { start, end }: Readonly<{ start: number; end: number }> = { start: 0, end: Infinity },
): AsyncGenerator<Buffer> {
  let offset = 0;
  for (const size of parts) {
    const range = { start: Math.max(0, start - offset), end: Math.min(size, end - offset) };
    if (range.start < range.end) {
      const isWhole = range.start === 0 && range.end === size;
      const bytes = await store.read(partName(tenantId, id, offset), isWhole ? undefined : range);
      if (bytes?.length !== range.end - range.start) throw new Error(`a part of the file ${id} is missing`);
      yield bytes;
    }
    offset += size;
  }
}
