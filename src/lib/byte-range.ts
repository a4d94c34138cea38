/** Names of units are case-insensitive (RFC 9110, 14.1). */
const oneRange = /^bytes=(\d{0,15})-(\d{0,15})$/i;

/** Part of a body, in bytes: from `start` up to, but not including, `end`. */
export type ByteRange = Readonly<{ start: number; end: number }>;

/**
 * The requested range of a body by RFC 9110; null for the whole body. Requests with several ranges, other units or invalid
 * ranges also get the whole body, as the RFC allows.
 *
 * @param range `Range`. @param condition `If-Range`, which must name the strong tag of the body.
 */
export function rangeOf(
  range: string | undefined,
  condition: string | undefined,
  { length, tag }: Readonly<{ length: number; tag: string }>,
): ByteRange | 'unsatisfiable' | null {
  if (range === undefined || (condition !== undefined && condition !== tag)) return null;
  const [, first, last] = oneRange.exec(range.trim()) ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  if (first === '') {
    const count = Math.min(Number(last), length);
    return count === 0 ? 'unsatisfiable' : { start: length - count, end: length };
  }
  const [start, end] = [Number(first), last === '' ? length : Math.min(Number(last) + 1, length)];
  if (last !== '' && Number(last) < start) return null;
  return start >= length ? 'unsatisfiable' : { start, end };
}

/** Whether a `Range` header asks for a single range, which is answered with a partial body. */
export function isOneRange(range: string): boolean {
  return oneRange.test(range.trim());
}
