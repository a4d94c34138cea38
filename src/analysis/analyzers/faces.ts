import type { Box, Face } from '../facts.ts';
import type { Raster } from '../raster.ts';
import { resample } from '../resample.ts';
import { clip, containment, overlap, round } from './boxes.ts';
import { humanFaces } from './human.ts';
import type { Network, RunNetwork } from '../networks/network.ts';

/**
 * BlazeFace (back camera) finds candidates, the face mesh decides whether each is a face. BlazeFace was trained on squares
 * of 256 pixels; a second pass over more pixels finds faces below 1/12 of the picture, which the first pass misses.
 */
const detector = { longSides: [256, 480], step: 32 } as const;
const mesh = { side: 192, margin: 1.5 } as const;
const limits = { candidate: 0.35, meshed: 0.85, overlap: 0.3, inside: 0.4, refused: 0.6, candidates: 40 } as const;
/** The outputs of the detector before it concatenates them: logits and boxes, by pixels between two cells. */
const layer = 'StatefulPartitionedCall/functional_1/conv2d_';
const grids = [
  { step: 16, boxes: 2, logits: `${layer}33/BiasAdd`, places: `${layer}35/BiasAdd` },
  { step: 32, boxes: 6, logits: `${layer}34/BiasAdd`, places: `${layer}36/BiasAdd` },
] as const;

export const blazeface: Network = {
  name: 'blazeface',
  input: 'input',
  outputs: grids.flatMap(({ logits, places }) => [logits, places]),
};
/** Only the confidence of the face mesh. */
export const facemesh: Network = {
  name: 'facemesh',
  input: 'input_1',
  outputs: ['StatefulPartitionedCall/model_1/activation_1/Sigmoid'],
};

/** Finds human faces, the most certain first: detected in `small` and confirmed in `large`, the same picture. */
export async function findFaces(small: Raster, large: Raster, run: RunNetwork): Promise<Face[]> {
  const candidates: Face[] = [];
  for (const longSide of detector.longSides) candidates.push(...(await detect(small, longSide, run)));
  const faces: Face[] = [];
  const refused: Face[] = [];
  for (const candidate of candidates.toSorted((a, b) => b.confidence - a.confidence)) {
    if (refused.length >= limits.candidates) break;
    if (faces.some(({ box }) => isSameFace(box, candidate.box))) continue;
    if (refused.some(({ box }) => overlap(box, candidate.box) > limits.refused)) continue;
    const confidence = await confirm(large, candidate.box, run);
    if (confidence < limits.meshed) refused.push(candidate);
    else faces.push({ box: clip(candidate.box), confidence: round(Math.min(confidence, candidate.confidence)) });
  }
  return humanFaces(
    large,
    faces.toSorted((a, b) => b.confidence - a.confidence),
    run,
  );
}

/** Finds candidates in the picture at one size; the input is padded to whole steps of the detector. */
async function detect(raster: Raster, longSide: number, run: RunNetwork): Promise<Face[]> {
  const scale = Math.max(raster.width, raster.height) / longSide;
  const fit = (length: number) => Math.ceil(length / scale / detector.step) * detector.step;
  const [width, height] = [fit(raster.width), fit(raster.height)];
  const region = { x: 0, y: 0, width: width * scale, height: height * scale };
  const pixels = resample(raster, region, [width, height]);
  for (let i = 0; i < pixels.length; i += 1) pixels[i] = (pixels[i] as number) / 127.5 - 1;
  const outputs = await run(blazeface, pixels, [width, height]);
  return grids.flatMap(({ step, boxes }, k) => {
    const [logits, places] = [outputs[2 * k]?.values, outputs[2 * k + 1]?.values];
    return logits && places ? decode({ logits, places, boxes, step, columns: width / step }, raster, scale) : [];
  });
}

type Grid = Readonly<{ logits: Float32Array; places: Float32Array; boxes: number; step: number; columns: number }>;

function decode({ logits, places, boxes, step, columns }: Grid, raster: Raster, scale: number): Face[] {
  const found: Face[] = [];
  for (let i = 0; i < logits.length; i += 1) {
    const confidence = 1 / (1 + Math.exp(-(logits[i] as number)));
    if (confidence < limits.candidate) continue;
    const cell = Math.floor(i / boxes);
    const at = (i * places.length) / logits.length;
    const [dx = 0, dy = 0, w = 0, h = 0] = places.subarray(at, at + 4);
    const x = ((cell % columns) + 0.5) * step + dx - w / 2;
    const y = (Math.floor(cell / columns) + 0.5) * step + dy - h / 2;
    const [across, down] = [scale / raster.width, scale / raster.height];
    const box = { x: x * across, y: y * down, w: w * across, h: h * down };
    if (isInPicture(box)) found.push({ box, confidence });
  }
  return found;
}

function isInPicture({ x, y, w, h }: Box): boolean {
  const [cx, cy] = [x + w / 2, y + h / 2];
  return w > 0 && h > 0 && cx > 0 && cx < 1 && cy > 0 && cy < 1;
}

/** Both passes may find one face, and not always completely: the most certain box is kept. */
function isSameFace(a: Box, b: Box): boolean {
  return overlap(a, b) > limits.overlap || containment(a, b) > limits.inside;
}

/** Confidence of the face mesh that a box shows a face, 0 to 1. */
async function confirm(raster: Raster, { x, y, w, h }: Box, run: RunNetwork): Promise<number> {
  const size = Math.max(w * raster.width, h * raster.height) * mesh.margin;
  const region = {
    x: (x + w / 2) * raster.width - size / 2,
    y: (y + h / 2) * raster.height - size / 2,
    width: size,
    height: size,
  };
  const pixels = resample(raster, region, [mesh.side, mesh.side]).map((value) => value / 255);
  const [flag] = await run(facemesh, pixels, [mesh.side, mesh.side]);
  return flag?.values[0] ?? 0;
}
