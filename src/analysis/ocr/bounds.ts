/** Where something lies, in pixels; `right` and `bottom` are the first outside. */
export type Bounds = Readonly<{ left: number; top: number; right: number; bottom: number }>;

/** How many pixels lie within. */
export function areaOf({ left, top, right, bottom }: Bounds): number {
  return (right - left) * (bottom - top);
}

/** How many pixels lie within both. */
export function sharedArea(a: Bounds, b: Bounds): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return Math.max(0, width) * Math.max(0, height);
}

/** Whether more than half of what lies within `bounds` lies within `other`, too. */
export function isMostlyIn(bounds: Bounds, other: Bounds): boolean {
  return sharedArea(bounds, other) > areaOf(bounds) * 0.5;
}
