import type { SeenObject } from '../facts.ts';
import type { Raster } from '../raster.ts';
import { resample, squareAround } from '../resample.ts';
import type { PixelRegion } from '../resample.ts';
import { cocoClasses } from '../words/coco.ts';
import { clip, containment, overlap, round } from './boxes.ts';
import { loadModel, runModel } from './tensorflow.ts';

/** CenterNet on MobileNetV3, trained on COCO; its head works on 512 × 512 only. */
export const centernet = { name: 'centernet', input: 'tower_0/images' } as const;
const side = 512;
/** What fills the square beside a picture, so that things keep their proportions. */
const grey = 128;
const limits = { confidence: 0.3, overlap: 0.5, inside: 0.85, objects: 50 } as const;

/** Things of the 80 classes of COCO in the picture or a square of it, the surest first; boxes are shares of the picture. */
export async function findObjects(raster: Raster, part?: PixelRegion): Promise<SeenObject[]> {
  const model = await loadModel(centernet.name, centernet.input);
  const region = part ?? squareAround({ x: 0, y: 0, width: raster.width, height: raster.height });
  const pixels = resample(raster, region, [side, side], grey);
  const [detections] = await runModel(model, pixels, [side, side], ['tower_0/detections']);
  const values = detections?.values ?? new Float32Array();
  const found: SeenObject[] = [];
  for (let at = 0; at + 6 <= values.length; at += 6) {
    const [left = 0, top = 0, right = 0, bottom = 0, confidence = 0, index = -1] = values.subarray(at, at + 6);
    const label = cocoClasses[index]?.en.one;
    if (label === undefined || !(confidence >= limits.confidence)) continue;
    const scale = region.width / side;
    const box = clip({
      x: (region.x + left * scale) / raster.width,
      y: (region.y + top * scale) / raster.height,
      w: ((right - left) * scale) / raster.width,
      h: ((bottom - top) * scale) / raster.height,
    });
    found.push({ label, box, confidence: round(confidence) });
  }
  return withoutRepeats(found.toSorted((a, b) => b.confidence - a.confidence)).slice(0, limits.objects);
}

/** Of boxes around the same thing the surest one. */
function withoutRepeats(found: readonly SeenObject[]): SeenObject[] {
  const kept: SeenObject[] = [];
  for (const each of found) {
    const isRepeat = kept.some(
      ({ label, box }) =>
        overlap(box, each.box) > limits.overlap || (label === each.label && containment(box, each.box) > limits.inside),
    );
    if (!isRepeat) kept.push(each);
  }
  return kept;
}
