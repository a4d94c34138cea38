import type { WriteElement } from '../../catalog/index.ts';
import { excerpt, excerptLength } from '../../lib/excerpt.ts';
import { TimeSlice } from '../../lib/time-slice.ts';
import { chunkSize } from '../limits.ts';

/** An accepted element. */
export type AcceptedElement = WriteElement & Readonly<{ isDuplicate?: true }>;

/** An element as stored in the payload. If it has no `values`, they are those of the previous element in its chunk. */
export type StoredElement = Omit<AcceptedElement, 'values'> & Partial<Pick<AcceptedElement, 'values'>>;

/** Chunks of elements, and the JSON of each. */
export type Payload = Readonly<{
  elements: readonly (readonly AcceptedElement[])[];
  chunks: readonly Buffer[];
  bytes: number;
}>;

/** How many unknown field names are kept with an element, and how much of each: callers may send anything. */
const unknownLimits = { fields: 20, characters: excerptLength } as const;

/** Serializes the elements of a write, one chunk at a time; at least one chunk. */
export async function writePayload(elements: readonly WriteElement[]): Promise<Payload> {
  const stored = markDuplicates(elements);
  const all: AcceptedElement[][] = [];
  const chunks: Buffer[] = [];
  const slice = new TimeSlice();
  let [first, bytes] = [0, 0];
  do {
    if (slice.isOver) await slice.pause();
    const own = stored.slice(first, first + chunkSize);
    const chunk = Buffer.from(writeChunk(own));
    all.push(own);
    chunks.push(chunk);
    [first, bytes] = [first + chunkSize, bytes + chunk.length];
  } while (first < stored.length);
  return { elements: all, chunks, bytes };
}

/** A write by formula has the same values for all records, so they are stored only once. */
function writeChunk(elements: readonly AcceptedElement[]): string {
  return JSON.stringify(
    elements.map((element, index): StoredElement => {
      if (element.values !== elements[index - 1]?.values) return element;
      const { values: _same, ...rest } = element;
      return rest;
    }),
  );
}

/** The elements of a chunk, each with its values. */
export function readChunk(stored: readonly StoredElement[]): AcceptedElement[] {
  let last: WriteElement['values'] = {};
  return stored.map((element) => ({ ...element, values: (last = element.values ?? last) }));
}

/** Marks all but the first of several elements with the same id. Done here, because it takes the whole batch. */
function markDuplicates(elements: readonly WriteElement[]): AcceptedElement[] {
  const seen = new Set<string>();
  return elements.map((element) => {
    const stored = element.unknownFields === undefined ? element : withShortNames(element);
    if (seen.has(element.id)) return { ...stored, isDuplicate: true };
    seen.add(element.id);
    return stored;
  });
}

function withShortNames({ unknownFields = [], ...element }: WriteElement): WriteElement {
  const names = unknownFields.slice(0, unknownLimits.fields).map((name) => excerpt(name, unknownLimits.characters));
  return { ...element, unknownFields: names };
}
