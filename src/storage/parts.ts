import type { FileStore } from './store.ts';

/** Where the bytes of a file are: it is stored in parts of these sizes. */
export type StoredParts = Readonly<{
  id: string;
  parts: readonly number[];
  /** How many bytes had been stored each time another writer took over; unset if the file had a single writer. */
  takeovers?: readonly number[];
}>;

type NamedPart = Readonly<{ name: string; offset: number; size: number }>;

/**
 * The name of a part in the store. Parts are never renamed, because buckets cannot. Each writer of a file uses its
 * own names, so that one that was wrongly presumed dead overwrites nothing.
 *
 * @param writer number of the writer that stores the part: how many others took over before it
 */
export function partName(tenantId: number, id: string, offset: number, writer = 0): string {
  return `${tenantId}/${id.slice(0, 2)}/${id}-${offset}${writer === 0 ? '' : `.${writer}`}`;
}

/** The parts of a file, in order. */
function* namedParts(tenantId: number, { id, parts, takeovers = [] }: StoredParts): Generator<NamedPart> {
  let [offset, writer] = [0, 0];
  for (const size of parts) {
    while ((takeovers[writer] ?? Infinity) <= offset) writer += 1;
    yield { name: partName(tenantId, id, offset, writer), offset, size };
    offset += size;
  }
}

/** Every name that a part may be stored under: each writer may have died before it listed its last part. */
export function partNames(tenantId: number, file: StoredParts): string[] {
  const { id, parts, takeovers = [] } = file;
  const size = parts.reduce((sum, each) => sum + each, 0);
  const unlisted = [...takeovers, size].map((offset, writer) => partName(tenantId, id, offset, writer));
  return [...Array.from(namedParts(tenantId, file), ({ name }) => name), ...unlisted];
}

/** Yields the bytes from `start` up to `end`, one part at a time. @throws Error if the store lacks a part. */
export async function* partsOf(
  store: FileStore,
  tenantId: number,
  file: StoredParts,
  { start, end }: Readonly<{ start: number; end: number }> = { start: 0, end: Infinity },
): AsyncGenerator<Buffer> {
  for (const { name, offset, size } of namedParts(tenantId, file)) {
    const range = { start: Math.max(0, start - offset), end: Math.min(size, end - offset) };
    if (range.start >= range.end) continue;
    const isWhole = range.start === 0 && range.end === size;
    const bytes = await store.read(name, isWhole ? undefined : range);
    if (bytes?.length !== range.end - range.start) throw new Error(`a part of the file ${file.id} is missing`);
    yield bytes;
  }
}
