/** Largest PDQ distances, of 256 bits, by which two pictures are near and the same. */
export type Distances = Readonly<{ near: number; same: number }>;

/**
 * Between them a tenant's own must lie. Copies of a picture are mostly below 20, other pictures beyond 70;
 * 31 is published for the same picture.
 */
export const distanceBounds = { near: { min: 2, max: 24 }, same: { min: 8, max: 40 } } as const;

/** Reads `10,31`: nearer pictures are fewer, so the first is the smaller. Null for anything else. */
export function parseDistances(text: string): Distances | null {
  const [, first, second] = /^(\d{1,2}),(\d{1,2})$/.exec(text) ?? [];
  const distances = { near: Number(first), same: Number(second) };
  const { near, same } = distanceBounds;
  const isWithin = (value: number, { min, max }: Readonly<{ min: number; max: number }>) =>
    value >= min && value <= max;
  const isSound = isWithin(distances.near, near) && isWithin(distances.same, same) && distances.near < distances.same;
  return isSound ? distances : null;
}
