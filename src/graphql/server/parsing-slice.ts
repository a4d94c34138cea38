import { nextSlice } from '../../lib/time-slice.ts';

/** Characters that are parsed and checked in half a millisecond. Shorter documents cost less than the rest of their request. */
const shortDocument = 1_000;

/**
 * Waits until a document that is not known may be parsed and checked. That takes milliseconds for a long one, and cannot be
 * divided: an iteration of the event loop parses one.
 *
 * @param length of the document, in characters
 */
export async function sliceForParsing(tenantId: number, length: number): Promise<void> {
  if (length > shortDocument) await nextSlice(tenantId);
}

/** Number of characters of the document in the JSON of a request. */
export function documentLength(json: unknown): number {
  const query = (json as Readonly<{ query?: unknown }> | null | undefined)?.query;
  return typeof query === 'string' ? query.length : 0;
}
