import { TimeSlice } from '../time-slice.ts';
import { Assembly } from './assembly.ts';
import type { ParseText } from './assembly.ts';
import { openArray, openObject, skipSpace } from './bytes.ts';
import { JsonTooLarge } from './faults.ts';
import type { JsonLimits } from './faults.ts';
import { ValueTally } from './value-tally.ts';

export type { ParseText } from './assembly.ts';
export { JsonFault, JsonTooLarge } from './faults.ts';
export type { JsonLimits } from './faults.ts';
export { readUtf8 } from './utf8.ts';
export { writeJson } from './write.ts';

/** `JSON.parse` takes about half a millisecond for a fragment of this size. */
const standardFragment = 64 * 1024;

type JsonOptions = Readonly<{
  fragmentBytes?: number;
  /** Starts a slice; set if the tenant whose time the parsing takes is known. */
  slice?: () => TimeSlice;
}>;

/**
 * Parses UTF-8 as JSON and pauses for other work every few milliseconds. A short text is parsed at once.
 *
 * @throws JsonTooLarge, JsonFault, and what `parse` throws.
 */
export async function parseJsonInSlices(
  bytes: Buffer,
  parse: ParseText,
  limits: JsonLimits,
  { fragmentBytes = standardFragment, slice: begin = () => new TimeSlice() }: JsonOptions = {},
): Promise<unknown> {
  if (bytes.length <= fragmentBytes) return parse(bytes.toString());
  const start = skipSpace(bytes, 0);
  const first = bytes[start];
  if (first !== openArray && first !== openObject) {
    if (bytes.length > limits.valueBytes) throw new JsonTooLarge('valueBytes');
    return parse(bytes.toString());
  }
  const assembly = new Assembly(bytes, start, parse, { ...limits, fragmentBytes });
  const slice = begin();
  while (!assembly.advance()) {
    if (slice.isOver) await slice.pause();
  }
  return assembly.root;
}

/**
 * Scans a JSON text as it arrives, so that one with too many values is refused before it is read to its end and before any
 * value is created: many small live values are what the garbage collector handles slowest.
 *
 * @returns takes the pieces of the text; throws JsonTooLarge.
 */
export function checkArriving(limits: JsonLimits): (piece: Buffer) => void {
  const tally = new ValueTally(limits);
  return (piece) => tally.add(piece);
}
