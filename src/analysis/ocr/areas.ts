import type { Bounds } from './bounds.ts';

/** A mask has one number for each pixel, row by row; pixels of the same number may belong together. */
export type Mask = Readonly<{ values: Uint8Array; width: number; height: number }>;

/** What makes pixels neighbors: a common side, or a corner as well. */
export type Neighbors = 'sides' | 'corners';

/**
 * Calls back for each connected area of pixels with this number, in the order of their first pixels. The list of
 * an area's pixels is overwritten by the next area: copy what must be kept.
 */
export function eachArea(
  { values, width, height }: Mask,
  wanted: number,
  neighbors: Neighbors,
  onArea: (pixels: Int32Array, bounds: Bounds) => void,
): void {
  const areCorners = neighbors === 'corners';
  const seen = new Uint8Array(values.length);
  const queue = new Int32Array(values.length);
  for (let start = 0; start < values.length; start += 1) {
    if (values[start] !== wanted || seen[start] === 1) continue;
    let [left, right, top, bottom] = [width, 0, height, 0];
    let count = 1;
    queue[0] = start;
    seen[start] = 1;
    for (let next = 0; next < count; next += 1) {
      const at = queue[next] as number;
      const y = (at / width) | 0;
      const x = at - y * width;
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      if (y > bottom) bottom = y;
      for (let dy = y > 0 ? -1 : 0; dy <= (y + 1 < height ? 1 : 0); dy += 1) {
        for (let dx = x > 0 ? -1 : 0; dx <= (x + 1 < width ? 1 : 0); dx += 1) {
          const other = at + dy * width + dx;
          if (values[other] !== wanted || seen[other] === 1) continue;
          if (!areCorners && dx !== 0 && dy !== 0) continue;
          seen[other] = 1;
          queue[count] = other;
          count += 1;
        }
      }
    }
    onArea(queue.subarray(0, count), { left, top, right: right + 1, bottom: bottom + 1 });
  }
}
