import type { Raster } from '../raster.ts';
import { resample } from '../resample.ts';
import type { Plane } from './components.ts';
import type { Line } from './find-lines.ts';

/** Height of capitals in what is read; Tesseract was trained on lines of about this size. */
export const capitals = 30;
/** Room around the letters, by their height: above for accents, below for tails. */
const room = { above: 0.45, below: 0.4, side: 0.5 } as const;
/** At this part of the usual distance from the letters' colour the ground is white; `strict` drops more of it. */
const whiteFrom = { soft: 0.6, strict: 0.3 } as const;

/** A line as black letters on white, with the way back to the picture. */
export type Patch = Readonly<{ plane: Plane; left: number; top: number; scale: number }>;

/**
 * Cuts a line out: what has the letters' colour becomes black, and the further a pixel is from it, the
 * lighter. So a photograph behind the letters disappears where it has other colours.
 */
export function cutLine(raster: Raster, line: Line, ground: keyof typeof whiteFrom = 'soft'): Patch {
  const { height, colour } = line;
  const left = line.left - height * room.side;
  const top = line.top - height * room.above;
  const region = {
    x: left,
    y: top,
    width: line.right - line.left + 2 * height * room.side,
    height: line.bottom - line.top + height * (room.above + room.below),
  };
  const scale = capitals / height;
  const size = [Math.max(1, Math.round(region.width * scale)), Math.max(1, Math.round(region.height * scale))] as const;
  const pixels = resample(raster, region, size, 255);
  const distances = new Float32Array(size[0] * size[1]);
  for (let i = 0; i < distances.length; i += 1) {
    distances[i] = Math.hypot(
      (pixels[i * 3] as number) - colour[0],
      (pixels[i * 3 + 1] as number) - colour[1],
      (pixels[i * 3 + 2] as number) - colour[2],
    );
  }
  const sorted = distances.toSorted();
  const usual = Math.max(20, sorted[Math.floor(sorted.length * 0.6)] as number) * whiteFrom[ground];
  const values = Uint8Array.from(distances, (distance) => Math.min(255, (distance / usual) * 255));
  return { plane: { values, width: size[0], height: size[1] }, left, top, scale };
}

/** The same, standing on its head. */
export function turnOver({ values, width, height }: Plane): Plane {
  return { values: values.toReversed(), width, height };
}
