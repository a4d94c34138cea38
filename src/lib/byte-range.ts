const oneRange = /^bytes=(\d{0,15})-(\d{0,15})$/;

/** Part of a body: from `start` up to `end`, in bytes. */
export type ByteRange = Readonly<{ start: number; end: number }>;

/**
 * The requested range of a body by RFC 9110; null for the whole. Several ranges, other units and invalid ones are answered
 * with the whole, as the RFC allows.
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

/** Whether a `Range` asks for one part of a body, and so for one that is answered with a part. */
export function isOneRange(range: string): boolean {
  return oneRange.test(range.trim());
}
