import type { DetectedObject } from '../facts.ts';
import type { Raster } from '../raster.ts';
import { resample, squareAround } from '../resample.ts';
import type { PixelRegion } from '../resample.ts';
import { cocoClasses } from '../captions/coco.ts';
import { clip, containment, overlap, round } from './boxes.ts';
import type { Network, RunNetwork } from '../networks/network.ts';

const head = 'tower_0/CenternetHead';

/** CenterNet on MobileNetV3, trained on COCO; its head works on 512 × 512 only. */
export const centernet = { name: 'centernet', input: 'tower_0/images' } as const;
/** For each cell the logit of every class, and the distances to the edges of an object there, in units of 16 pixels. */
export const objectDetector: Network = {
  ...centernet,
  outputs: [`${head}/centernet_cls_output/BiasAdd`, `${head}/centernet_wh_output/BiasAdd`],
};
const reach = 16;
const side = 512;
/** Side of a cell in pixels of the input, and number of cells each way. */
const cell = 4;
const cells = side / cell;
/** Value of the padding that makes a picture square, so that objects keep their proportions. */
const gray = 128;
const limits = { confidence: 0.3, overlap: 0.5, inside: 0.85, objects: 50 } as const;

/** An object as detected in one pass. */
export type Detection = Omit<DetectedObject, 'isConfirmed'>;

/** Finds objects of the 80 COCO classes in a picture or a square of it, most certain first; boxes are fractions of it. */
export async function findObjects(raster: Raster, run: RunNetwork, part?: PixelRegion): Promise<Detection[]> {
  const region = part ?? squareAround({ x: 0, y: 0, width: raster.width, height: raster.height });
  const pixels = resample(raster, region, [side, side], gray);
  return withoutRepeats(toDetections(await detect(pixels, run), raster, { region, left: 0, top: 0, side }));
}

/** The same for up to four squares, which are placed side by side and analyzed together. */
export async function findObjectsIn(
  raster: Raster,
  parts: readonly PixelRegion[],
  run: RunNetwork,
): Promise<Detection[][]> {
  const half = side / 2;
  const pixels = new Float32Array(side * side * 3).fill(gray);
  const places = parts.map((region, i) => {
    const [left, top] = [(i % 2) * half, Math.floor(i / 2) * half];
    return { region, left, top, side: half };
  });
  for (const { region, left, top } of places) {
    const quarter = resample(raster, region, [half, half], gray);
    for (let y = 0; y < half; y += 1) {
      pixels.set(quarter.subarray(y * half * 3, (y + 1) * half * 3), ((top + y) * side + left) * 3);
    }
  }
  const found = await detect(pixels, run);
  return places.map((place) => withoutRepeats(toDetections(found, raster, place)));
}

/** A square of a raster, and its position in the model's input. */
type Place = Readonly<{ region: PixelRegion; left: number; top: number; side: number }>;
type Raw = Readonly<{ label: string; confidence: number; left: number; top: number; right: number; bottom: number }>;

async function detect(pixels: Float32Array, run: RunNetwork): Promise<Raw[]> {
  const [logits, edges] = await run(objectDetector, pixels, [side, side]);
  if (!logits || !edges) return [];
  const classes = logits.values.length / cells ** 2;
  const found: Raw[] = [];
  for (const at of findPeaks(logits.values, classes)) {
    const label = cocoClasses[at % classes]?.en.one;
    if (label === undefined) continue;
    const place = Math.floor(at / classes);
    const [x, y] = [(place % cells) * cell, Math.floor(place / cells) * cell];
    const [left = 0, top = 0, right = 0, bottom = 0] = edges.values
      .subarray(place * 4, place * 4 + 4)
      .map((value) => value * reach);
    const confidence = 1 / (1 + Math.exp(-(logits.values[at] as number)));
    found.push({ label, confidence, left: x - left, top: y - top, right: x + right, bottom: y + bottom });
  }
  return found.toSorted((a, b) => b.confidence - a.confidence);
}

/** Indexes of classes that are likely enough, and not likelier in the eight cells around; by cell, then by class. */
function findPeaks(logits: Float32Array, classes: number): number[] {
  const least = Math.log(limits.confidence / (1 - limits.confidence));
  const peaks: number[] = [];
  // Hardly any of a million values is a peak: checking four at a time takes half as long. Each cell has 80.
  for (let four = 0; four < logits.length; four += 4) {
    if (!isAnyOfFour(logits, four, least)) continue;
    for (let at = four; at < four + 4; at += 1) {
      if ((logits[at] as number) >= least && isPeak(logits, at, classes)) peaks.push(at);
    }
  }
  return peaks;
}

function isAnyOfFour(logits: Float32Array, at: number, least: number): boolean {
  return (
    (logits[at] as number) >= least ||
    (logits[at + 1] as number) >= least ||
    (logits[at + 2] as number) >= least ||
    (logits[at + 3] as number) >= least
  );
}

function isPeak(logits: Float32Array, at: number, classes: number): boolean {
  const place = Math.floor(at / classes);
  const [x, y] = [place % cells, Math.floor(place / cells)];
  for (let row = Math.max(0, y - 1); row <= Math.min(cells - 1, y + 1); row += 1) {
    for (let column = Math.max(0, x - 1); column <= Math.min(cells - 1, x + 1); column += 1) {
      if ((logits[(row * cells + column) * classes + (at % classes)] as number) > (logits[at] as number)) return false;
    }
  }
  return true;
}

/** Detections whose center is in a place; their boxes become fractions of the picture. */
function toDetections(found: readonly Raw[], raster: Raster, { region, ...place }: Place): Detection[] {
  const scale = region.width / place.side;
  const isWithin = (middle: number, from: number) => middle >= from && middle < from + place.side;
  return found
    .filter(
      ({ left, right, top, bottom }) =>
        isWithin((left + right) / 2, place.left) && isWithin((top + bottom) / 2, place.top),
    )
    .map(({ label, confidence, left, top, right, bottom }) => ({
      label,
      confidence: round(confidence),
      box: clip({
        x: (region.x + (left - place.left) * scale) / raster.width,
        y: (region.y + (top - place.top) * scale) / raster.height,
        w: ((right - left) * scale) / raster.width,
        h: ((bottom - top) * scale) / raster.height,
      }),
    }));
}

/** Keeps the most certain of several boxes around the same object. */
export function withoutRepeats<Thing extends Detection>(found: readonly Thing[]): Thing[] {
  const kept: Thing[] = [];
  for (const each of found) {
    const isRepeat = kept.some(
      ({ label, box }) =>
        overlap(box, each.box) > limits.overlap || (label === each.label && containment(box, each.box) > limits.inside),
    );
    if (!isRepeat) kept.push(each);
  }
  return kept.slice(0, limits.objects);
}
