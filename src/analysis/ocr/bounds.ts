/** A rectangle in pixels; `right` and `bottom` are exclusive. */
export type Bounds = Readonly<{ left: number; top: number; right: number; bottom: number }>;

/** Number of pixels in the rectangle. */
export function areaOf({ left, top, right, bottom }: Bounds): number {
  return (right - left) * (bottom - top);
}

/** Number of pixels in the intersection. */
export function sharedArea(a: Bounds, b: Bounds): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return Math.max(0, width) * Math.max(0, height);
}

/** Whether more than half of `bounds` lies within `other`. */
export function isMostlyIn(bounds: Bounds, other: Bounds): boolean {
  return sharedArea(bounds, other) > areaOf(bounds) * 0.5;
}
