import type { DetectedObject } from '../facts.ts';
import type { Raster } from '../raster.ts';
import { resample, squareAround } from '../resample.ts';
import type { PixelRegion } from '../resample.ts';
import { cocoClasses } from '../captions/coco.ts';
import { clip, containment, overlap, round } from './boxes.ts';
import { loadModel, runModel } from './tensorflow.ts';

/** CenterNet on MobileNetV3, trained on COCO; its head works on 512 × 512 only. */
export const centernet = { name: 'centernet', input: 'tower_0/images' } as const;
const side = 512;
/** The padding beside a picture in the square, so that objects keep their proportions. */
const gray = 128;
const limits = { confidence: 0.3, overlap: 0.5, inside: 0.85, objects: 50 } as const;

/** An object as detected in one pass. */
export type Detection = Omit<DetectedObject, 'isConfirmed'>;

/** Objects of the 80 classes of COCO in the picture or a square of it, the most certain first; boxes are fractions of it. */
export async function findObjects(raster: Raster, part?: PixelRegion): Promise<Detection[]> {
  const region = part ?? squareAround({ x: 0, y: 0, width: raster.width, height: raster.height });
  const pixels = resample(raster, region, [side, side], gray);
  return withoutRepeats(toDetections(await detect(pixels), raster, { ...region, left: 0, top: 0, side }));
}

/** The same in each of up to four squares, which are put side by side and analyzed together. */
export async function findObjectsIn(raster: Raster, parts: readonly PixelRegion[]): Promise<Detection[][]> {
  const half = side / 2;
  const pixels = new Float32Array(side * side * 3).fill(gray);
  const places = parts.map((part, i) => ({ ...part, left: (i % 2) * half, top: Math.floor(i / 2) * half, side: half }));
  for (const place of places) {
    const quarter = resample(raster, place, [half, half], gray);
    for (let y = 0; y < half; y += 1) {
      pixels.set(quarter.subarray(y * half * 3, (y + 1) * half * 3), ((place.top + y) * side + place.left) * 3);
    }
  }
  const found = await detect(pixels);
  return places.map((place) => withoutRepeats(toDetections(found, raster, place)));
}

/** A square of a raster, and its place in the model's input. */
type Place = PixelRegion & Readonly<{ left: number; top: number; side: number }>;
type Raw = Readonly<{ label: string; confidence: number; left: number; top: number; right: number; bottom: number }>;

async function detect(pixels: Float32Array): Promise<Raw[]> {
  const model = await loadModel(centernet.name, centernet.input);
  const [detections] = await runModel(model, pixels, [side, side], ['tower_0/detections']);
  const values = detections?.values ?? new Float32Array();
  const found: Raw[] = [];
  for (let at = 0; at + 6 <= values.length; at += 6) {
    const [left = 0, top = 0, right = 0, bottom = 0, confidence = 0, index = -1] = values.subarray(at, at + 6);
    const label = cocoClasses[index]?.en.one;
    if (label === undefined || !(confidence >= limits.confidence)) continue;
    found.push({ label, confidence, left, top, right, bottom });
  }
  return found.toSorted((a, b) => b.confidence - a.confidence);
}

/** Detections whose center is in a place, as parts of the picture. */
function toDetections(found: readonly Raw[], { width, height }: Raster, place: Place): Detection[] {
  const scale = place.width / place.side;
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
        x: (place.x + (left - place.left) * scale) / width,
        y: (place.y + (top - place.top) * scale) / height,
        w: ((right - left) * scale) / width,
        h: ((bottom - top) * scale) / height,
      }),
    }));
}

/** Of several boxes around the same object, the most certain one. */
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
