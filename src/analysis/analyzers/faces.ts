import type { Box, Face } from '../facts.ts';
import type { Raster } from '../raster.ts';
import { resample, squareAround } from '../resample.ts';
import type { PixelRegion } from '../resample.ts';
import { clip, containment, overlap, round } from './boxes.ts';
import { humanFaces } from './human.ts';
import { loadModel, runModel } from './tensorflow.ts';

/** BlazeFace (back camera) finds candidates, the face mesh decides whether each is a face. */
const detector = { name: 'blazeface', side: 256 } as const;
const mesh = { name: 'facemesh', side: 192, margin: 1.5 } as const;
const limits = { candidate: 0.35, meshed: 0.85, overlap: 0.3, inside: 0.4, refused: 0.6, candidates: 40 } as const;
/** Parts of the picture that are analyzed once more, because faces below 1/12 of it are missed in the whole. */
const tile = { share: 0.6, leastSide: 120 } as const;

/** Where a candidate may be: the detector's grid of 16 × 16 with 2 boxes and of 8 × 8 with 6. */
const anchors = [
  { step: 16, boxes: 2 },
  { step: 32, boxes: 6 },
].flatMap(({ step, boxes }) => {
  const cells = detector.side / step;
  return Array.from({ length: cells * cells * boxes }, (_, i) => {
    const cell = Math.floor(i / boxes);
    return { x: ((cell % cells) + 0.5) * step, y: (Math.floor(cell / cells) + 0.5) * step };
  });
});

/** Human faces, the most certain first. */
export async function findFaces(raster: Raster): Promise<Face[]> {
  const candidates: Face[] = [];
  for (const region of regionsOf(raster)) candidates.push(...(await detect(raster, region)));
  const faces: Face[] = [];
  const refused: Face[] = [];
  for (const candidate of candidates.toSorted((a, b) => b.confidence - a.confidence)) {
    if (refused.length >= limits.candidates) break;
    if (faces.some(({ box }) => isSameFace(box, candidate.box))) continue;
    if (refused.some(({ box }) => overlap(box, candidate.box) > limits.refused)) continue;
    const confidence = await confirm(raster, candidate.box);
    if (confidence < limits.meshed) refused.push(candidate);
    else faces.push({ box: clip(candidate.box), confidence: round(Math.min(confidence, candidate.confidence)) });
  }
  return humanFaces(
    raster,
    faces.toSorted((a, b) => b.confidence - a.confidence),
  );
}

/** The whole as a square, and four overlapping parts of it. */
function regionsOf({ width, height }: Raster): PixelRegion[] {
  const whole = squareAround({ x: 0, y: 0, width, height });
  const [w, h] = [width * tile.share, height * tile.share];
  if (Math.min(w, h) < tile.leastSide) return [whole];
  const corners = [0, width - w].flatMap((x) =>
    [0, height - h].map((y) => squareAround({ x, y, width: w, height: h })),
  );
  return [whole, ...corners];
}

async function detect(raster: Raster, region: PixelRegion): Promise<Face[]> {
  const model = await loadModel(detector.name);
  const { side } = detector;
  const pixels = resample(raster, region, [side, side]).map((value) => value / 127.5 - 1);
  const outputs = (await runModel(model, pixels, [side, side])).toSorted((a, b) => a.values.length - b.values.length);
  const [fewScores, manyScores, fewBoxes, manyBoxes] = outputs.map(({ values }) => values);
  if (!fewScores || !manyScores || !fewBoxes || !manyBoxes) return [];
  return [
    ...decode(manyScores, manyBoxes, 0, { raster, region }),
    ...decode(fewScores, fewBoxes, manyScores.length, { raster, region }),
  ];
}

function decode(
  scores: Float32Array,
  boxes: Float32Array,
  firstAnchor: number,
  { raster, region }: Readonly<{ raster: Raster; region: PixelRegion }>,
): Face[] {
  const found: Face[] = [];
  const scale = region.width / detector.side;
  for (const [i, logit] of scores.entries()) {
    const confidence = 1 / (1 + Math.exp(-logit));
    const anchor = anchors[firstAnchor + i];
    if (confidence < limits.candidate || anchor === undefined) continue;
    const at = (i * boxes.length) / scores.length;
    const [dx = 0, dy = 0, w = 0, h = 0] = boxes.subarray(at, at + 4);
    const x = (region.x + (anchor.x + dx - w / 2) * scale) / raster.width;
    const y = (region.y + (anchor.y + dy - h / 2) * scale) / raster.height;
    const box = { x, y, w: (w * scale) / raster.width, h: (h * scale) / raster.height };
    if (isInPicture(box)) found.push({ box, confidence });
  }
  return found;
}

function isInPicture({ x, y, w, h }: Box): boolean {
  const [cx, cy] = [x + w / 2, y + h / 2];
  return w > 0 && h > 0 && cx > 0 && cx < 1 && cy > 0 && cy < 1;
}

/** Parts of a picture show a face several times, and not always completely: then the next most certain box counts. */
function isSameFace(a: Box, b: Box): boolean {
  return overlap(a, b) > limits.overlap || containment(a, b) > limits.inside;
}

/** Confidence of the mesh that it lies on a face, 0 to 1. */
async function confirm(raster: Raster, { x, y, w, h }: Box): Promise<number> {
  const model = await loadModel(mesh.name);
  const size = Math.max(w * raster.width, h * raster.height) * mesh.margin;
  const region = {
    x: (x + w / 2) * raster.width - size / 2,
    y: (y + h / 2) * raster.height - size / 2,
    width: size,
    height: size,
  };
  const pixels = resample(raster, region, [mesh.side, mesh.side]).map((value) => value / 255);
  const outputs = await runModel(model, pixels, [mesh.side, mesh.side]);
  return outputs.find(({ values }) => values.length === 1)?.values[0] ?? 0;
}
