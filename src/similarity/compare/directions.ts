/** The direction of a reference in the vector space of an index. */
export type Direction = Readonly<{ values: Float64Array; isNegative: boolean }>;

/** Adds a vector, scaled to the length `weight`. */
export function addDirection(sum: Float64Array, vector: Int8Array | null, weight: number): void {
  if (vector === null) return;
  const length = Math.hypot(...vector) || 1;
  for (const [k, value] of vector.entries()) sum[k] = (sum[k] as number) + (value * weight) / length;
}

/**
 * The sum of the directions as unit vectors, minus half of each negated one, scaled to signed bytes; null if all are
 * negated.
 */
export function centerOf(dimensions: number, directions: readonly (Direction | null)[]): Int8Array | null {
  const known = directions.filter((each) => each !== null);
  if (known.every(({ isNegative }) => isNegative)) return null;
  const sum = new Float64Array(dimensions);
  for (const { values, isNegative } of known) {
    const length = Math.hypot(...values) * (isNegative ? -2 : 1);
    for (const [k, value] of values.entries()) sum[k] = (sum[k] as number) + value / length;
  }
  const largest = sum.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
  return Int8Array.from(sum, (value) => Math.round((value / largest) * 127));
}
