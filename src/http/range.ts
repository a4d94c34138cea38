/** Part of a body: from `start` up to `end`, in bytes. */
export type ByteRange = Readonly<{ start: number; end: number }>;

/**
 * The one range of a body that is asked for, as RFC 9110 has it; null for all of it. Several ranges, other units and what cannot be
 * read are answered by all of it, as the RFC allows.
 *
 * @param range `Range`. @param condition `If-Range`, which must name the strong tag of the body.
 */
export function rangeOf(
  range: string | undefined,
  condition: string | undefined,
  { length, tag }: Readonly<{ length: number; tag: string }>,
): ByteRange | 'unsatisfiable' | null {
  if (range === undefined || (condition !== undefined && condition !== tag)) return null;
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range.trim()) ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  if (first === '') {
    const count = Math.min(Number(last), length);
    return count === 0 ? 'unsatisfiable' : { start: length - count, end: length };
  }
  const [start, end] = [Number(first), last === '' ? length : Math.min(Number(last) + 1, length)];
  if (last !== '' && Number(last) < start) return null;
  return start >= length ? 'unsatisfiable' : { start, end };
}
