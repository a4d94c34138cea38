import type { Raster } from '../raster.ts';
import { resample } from '../resample.ts';
import type { GrayImage } from './components.ts';
import type { Line } from './join-letters.ts';

/** Height of capitals in a patch; Tesseract was trained on lines of about this size. */
export const capitals = 30;
/** Margin around the letters, as a fraction of their height: above for accents, below for descenders. */
const room = { above: 0.45, below: 0.4, side: 0.5 } as const;
/** Background becomes white at this fraction of its usual distance from the letters' color; `strict` drops more of it. */
const whiteFrom = { soft: 0.6, strict: 0.3 } as const;

/** A line as black letters on white, with the mapping back to the picture. */
export type Patch = Readonly<{
  plane: GrayImage;
  left: number;
  top: number;
  scale: number;
  /** Whether it contains only shapes that an outline surrounds. */
  isOutlined?: boolean;
}>;

/** Distance of each pixel in and around a line from the color of its letters, at the size in which it is read. */
export type ColorDistances = Readonly<{
  values: Float32Array;
  width: number;
  height: number;
  left: number;
  top: number;
  scale: number;
}>;

/**
 * Cuts out a line: pixels of the letters' color become black; the further a pixel is from it, the lighter
 * it becomes. A photograph behind the letters thus disappears if its colors differ.
 */
export function cutLine(raster: Raster, line: Line, ground: keyof typeof whiteFrom = 'soft'): Patch {
  const distances = measureLine(raster, line);
  const sorted = distances.values.toSorted();
  const usual = Math.max(20, sorted[Math.floor(sorted.length * 0.6)] as number) * whiteFrom[ground];
  return toPatch(distances, usual);
}

/** Maps distances to lightness: black at the letters' color, white from the distance `white` on. */
export function toPatch({ values, width, height, left, top, scale }: ColorDistances, white: number): Patch {
  const lightness = new Uint8Array(values.length);
  for (let i = 0; i < values.length; i += 1) lightness[i] = Math.min(255, ((values[i] as number) / white) * 255);
  return { plane: { values: lightness, width, height }, left, top, scale };
}

export function measureLine(raster: Raster, line: Line): ColorDistances {
  const { height: tall, color } = line;
  const left = line.left - tall * room.side;
  const top = line.top - tall * room.above;
  const region = {
    x: left,
    y: top,
    width: line.right - line.left + 2 * tall * room.side,
    height: line.bottom - line.top + tall * (room.above + room.below),
  };
  const scale = capitals / tall;
  const [width, height] = [region.width, region.height].map((each) => Math.max(1, Math.round(each * scale))) as [
    number,
    number,
  ];
  const pixels = resample(raster, region, [width, height], 255);
  const values = new Float32Array(width * height);
  for (let i = 0; i < values.length; i += 1) {
    values[i] = Math.hypot(
      (pixels[i * 3] as number) - color[0],
      (pixels[i * 3 + 1] as number) - color[1],
      (pixels[i * 3 + 2] as number) - color[2],
    );
  }
  return { values, width, height, left, top, scale };
}

/** Returns the image rotated by 180°. */
export function rotateHalf({ values, width, height }: GrayImage): GrayImage {
  return { values: values.toReversed(), width, height };
}
