import type { Raster } from '../raster.ts';

/** Connected pixels that are all darker, or all lighter, than what surrounds them: perhaps a letter. */
export type Component = Readonly<{
  left: number;
  top: number;
  right: number;
  bottom: number;
  area: number;
  /** Typical width of its strokes, from area and outline. */
  stroke: number;
  /** Mean red, green, blue. */
  colour: readonly [number, number, number];
  /** How much its lightness varies, as a standard deviation in steps of 256. */
  unevenness: number;
  /** How much lighter or darker it is than the rest of its box, in steps of 256. */
  contrast: number;
}>;

export type Plane = Readonly<{ values: Uint8Array; width: number; height: number }>;

/** Lightness as television weighs it. */
export function toGrey({ data, width, height, channels }: Raster): Plane {
  const values = new Uint8Array(width * height);
  for (let i = 0, at = 0; i < values.length; i += 1, at += channels) {
    values[i] = ((data[at] as number) * 77 + (data[at + 1] as number) * 150 + (data[at + 2] as number) * 29) >> 8;
  }
  return { values, width, height };
}

/** Sums over all rectangles that begin in the upper left corner, one row and column larger than the plane. */
export function integrate({ values, width, height }: Plane): Float64Array {
  const sums = new Float64Array((width + 1) * (height + 1));
  for (let y = 0; y < height; y += 1) {
    let row = 0;
    for (let x = 0; x < width; x += 1) {
      row += values[y * width + x] as number;
      sums[(y + 1) * (width + 1) + x + 1] = (sums[y * (width + 1) + x + 1] as number) + row;
    }
  }
  return sums;
}

/** Where a plane differs from the mean of its surroundings by more than `contrast`: 1 darker, 2 lighter, else 0. */
export function threshold(
  { values, width, height }: Plane,
  sums: Float64Array,
  { radius, contrast }: Readonly<{ radius: number; contrast: number }>,
): Uint8Array {
  const mask = new Uint8Array(values.length);
  const line = width + 1;
  for (let y = 0; y < height; y += 1) {
    const [y0, y1] = [Math.max(0, y - radius), Math.min(height, y + radius + 1)];
    for (let x = 0; x < width; x += 1) {
      const x0 = x > radius ? x - radius : 0;
      const x1 = x + radius + 1 < width ? x + radius + 1 : width;
      const sum =
        (sums[y1 * line + x1] as number) -
        (sums[y0 * line + x1] as number) -
        (sums[y1 * line + x0] as number) +
        (sums[y0 * line + x0] as number);
      const difference = (values[y * width + x] as number) - sum / ((x1 - x0) * (y1 - y0));
      mask[y * width + x] = difference < -contrast ? 1 : difference > contrast ? 2 : 0;
    }
  }
  return mask;
}

/** What components are looked for in: pixels, their lightness, and its sums. */
export type Scene = Readonly<{ raster: Raster; grey: Plane; sums: Float64Array }>;

/** All connected areas of one kind in a mask whose size could be that of a letter. */
export function findComponents(
  mask: Uint8Array,
  kind: 1 | 2,
  { raster, grey, sums }: Scene,
  isLetterSized: (width: number, height: number) => boolean,
): Component[] {
  const { width, height } = grey;
  const seen = new Uint8Array(mask.length);
  const queue = new Int32Array(mask.length);
  const found: Component[] = [];
  for (let start = 0; start < mask.length; start += 1) {
    if (mask[start] !== kind || seen[start] === 1) continue;
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
          if (mask[other] !== kind || seen[other] === 1) continue;
          seen[other] = 1;
          queue[count] = other;
          count += 1;
        }
      }
    }
    if (!isLetterSized(right - left + 1, bottom - top + 1)) continue;
    const box = { left, top, right: right + 1, bottom: bottom + 1 };
    const inside = describe(queue.subarray(0, count), mask, kind, { raster, grey, sums });
    found.push({
      ...box,
      area: count,
      ...inside,
      contrast: contrastOf(box, { count, sum: inside.mean * count }, { grey, sums }),
    });
  }
  return found;
}

function describe(
  pixels: Int32Array,
  mask: Uint8Array,
  kind: number,
  { raster, grey }: Scene,
): Pick<Component, 'stroke' | 'colour' | 'unevenness'> & Readonly<{ mean: number }> {
  const { width } = grey;
  let [outline, sum, squares, red, green, blue] = [0, 0, 0, 0, 0, 0];
  for (const at of pixels) {
    if (mask[at - 1] !== kind || mask[at + 1] !== kind || mask[at - width] !== kind || mask[at + width] !== kind) {
      outline += 1;
    }
    const value = grey.values[at] as number;
    sum += value;
    squares += value * value;
    const from = at * raster.channels;
    red += raster.data[from] as number;
    green += raster.data[from + 1] as number;
    blue += raster.data[from + 2] as number;
  }
  const count = pixels.length;
  return {
    mean: sum / count,
    stroke: (2 * count) / Math.max(1, outline),
    colour: [red / count, green / count, blue / count],
    unevenness: Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2)),
  };
}

type Place = Pick<Component, 'left' | 'top' | 'right' | 'bottom'>;

/** Of a component and what else is in its box and two pixels around. */
function contrastOf(
  { left, top, right, bottom }: Place,
  inside: Readonly<{ count: number; sum: number }>,
  { grey: { width, height }, sums }: Omit<Scene, 'raster'>,
): number {
  const [x0, x1] = [Math.max(0, left - 2), Math.min(width, right + 2)];
  const [y0, y1] = [Math.max(0, top - 2), Math.min(height, bottom + 2)];
  const at = (x: number, y: number) => sums[y * (width + 1) + x] as number;
  const sum = at(x1, y1) - at(x1, y0) - at(x0, y1) + at(x0, y0);
  const count = (x1 - x0) * (y1 - y0) - inside.count;
  return count === 0 ? 0 : Math.abs(inside.sum / inside.count - (sum - inside.sum) / count);
}
