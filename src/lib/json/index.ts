import { TimeSlice } from '../time-slice.ts';
import { Assembly } from './assembly.ts';
import type { ParseText } from './assembly.ts';
import { openArray, openObject, skipSpace } from './bytes.ts';
import { JsonTooLarge } from './faults.ts';
import type { JsonLimits } from './faults.ts';

export type { ParseText } from './assembly.ts';
export { JsonFault, JsonTooLarge } from './faults.ts';
export type { JsonLimits } from './faults.ts';
export { writeJson } from './write.ts';

/** `JSON.parse` takes about half a millisecond for one. */
const standardFragment = 64 * 1024;

export type JsonOptions = Readonly<{
  fragmentBytes?: number;
  /** Begins a slice, where it is known whose time the parsing takes. */
  slice?: () => TimeSlice;
}>;

/**
 * Parses UTF-8 as JSON; pauses for other work every few milliseconds. A short text is parsed at once.
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
  let isCounted = false;
  while (!assembly.advance()) {
    if (!isCounted && assembly.expectedValues > limits.values) {
      isCounted = true;
      await checkCount(assembly, limits.values, slice);
    }
    if (slice.isOver) await slice.pause();
  }
  return assembly.root;
}

/**
 * Counts the values of the rest where they stand so densely that it may hold too many: what is refused in the end is then
 * not made, since many small values that all stay alive are what the garbage collector is slowest with.
 */
async function checkCount(assembly: Assembly, most: number, slice: TimeSlice): Promise<void> {
  const counter = assembly.countRest();
  while (!counter.advance()) {
    if (counter.values > most) throw new JsonTooLarge('values');
    if (slice.isOver) await slice.pause();
  }
  if (counter.values > most) throw new JsonTooLarge('values');
}
