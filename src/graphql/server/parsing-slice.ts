import { TimeSlice } from '../../lib/time-slice.ts';

/** Characters that are parsed and checked in half a millisecond. Shorter documents cost less than the rest of their request. */
const shortDocument = 1_000;

/**
 * Waits until documents that are not known may be parsed and checked. That takes milliseconds for long ones, which cannot be
 * divided: an iteration of the event loop parses those of one request.
 *
 * @param length of the documents, in characters
 */
export async function sliceForParsing(tenantId: number, length: number): Promise<void> {
  if (length > shortDocument) await new TimeSlice(tenantId).pause();
}

/** Number of characters of the documents in the JSON of a request: of one operation, or of a list. */
export function documentLength(json: unknown): number {
  const operations = Array.isArray(json) ? json : [json];
  const lengthOf = (operation: unknown) => {
    const query = (operation as Readonly<{ query?: unknown }> | null | undefined)?.query;
    return typeof query === 'string' ? query.length : 0;
  };
  return operations.reduce((sum: number, each) => sum + lengthOf(each), 0);
}
