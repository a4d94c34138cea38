/** Maximum PDQ distances, of 256 bits, at which two pictures count as `near` or `same`. */
export type Distances = Readonly<{ near: number; same: number }>;

/**
 * Limits for a tenant's own distances. Copies of a picture are mostly below 20, other pictures beyond 70; the
 * published distance for the same picture is 31.
 */
export const distanceBounds = { near: { min: 2, max: 24 }, same: { min: 8, max: 40 } } as const;

/**
 * Parses `10,31`. All near pictures are also the same picture, so the first number must be smaller. Null for anything
 * else.
 */
export function parseDistances(text: string): Distances | null {
  const [, first, second] = /^(\d{1,2}),(\d{1,2})$/.exec(text) ?? [];
  const distances = { near: Number(first), same: Number(second) };
  const { near, same } = distanceBounds;
  const isWithin = (value: number, { min, max }: Readonly<{ min: number; max: number }>) =>
    value >= min && value <= max;
  const isSound = isWithin(distances.near, near) && isWithin(distances.same, same) && distances.near < distances.same;
  return isSound ? distances : null;
}
