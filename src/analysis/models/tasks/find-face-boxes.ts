import type { Box, Face } from '../../facts.ts';
import type { EntryOf } from '../manifest.ts';
import { ModelError } from '../model-error.ts';
import { inputDims, toPixels } from '../pixels.ts';
import type { InputPixels } from '../pixels.ts';
import type { OnnxTensor } from '../../onnx/types.ts';
import type { TaskOf } from '../tools.ts';

/** Finds faces with a detector that returns one list of boxes, such as UltraFace; one picture per run. */
export async function findFaceBoxes(task: TaskOf<'faces'>, jpegs: readonly Uint8Array[]): Promise<(readonly Face[])[]> {
  const all: (readonly Face[])[] = [];
  for (const jpeg of jpegs) all.push(await findIn(task, jpeg));
  return all;
}

async function findIn({ entry, tools }: TaskOf<'faces'>, jpeg: Uint8Array): Promise<readonly Face[]> {
  const { session } = await tools.networks.open(entry.files.image, entry);
  const pixels = await toPixels(jpeg, entry.preprocessing);
  const input = tools.runtime.floats(pixels.values, inputDims(entry.preprocessing, pixels, 1));
  const outputs = await session.run({ [session.inputNames[0] ?? '']: input });
  const scores = listOf(outputs[entry.outputs.scores], entry.outputs.scores, [1, 2]);
  const boxes = listOf(outputs[entry.outputs.boxes], entry.outputs.boxes, [4]);
  if (scores.length !== boxes.length) throw new ModelError('failed', 'the model returned boxes without scores');
  const found = boxes.flatMap((corners, index) => {
    const confidence = Math.min(1, scores[index]?.at(-1) ?? 0);
    const box = confidence < entry.thresholds.faces ? null : toBox(corners, pixels, entry.boxes);
    return box === null ? [] : [{ box, confidence }];
  });
  return withoutOverlaps(found, entry.thresholds.overlap);
}

/** Rows of an output [1, N, width]. */
function listOf(output: OnnxTensor | undefined, name: string, widths: readonly number[]): number[][] {
  const [batch, rows = 0, width = 0] = output?.dims ?? [];
  if (output?.dims.length !== 3 || batch !== 1 || !widths.includes(width)) {
    throw new ModelError(
      'failed',
      `output '${name}' is [${output?.dims.join(', ') ?? ''}], not [1, N, ${widths.join(' or ')}]`,
    );
  }
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: width }, (_each, k) => output.data[row * width + k] ?? 0),
  );
}

/** Converts corners to a box in fractions of the picture; null if it lies outside. */
function toBox(
  corners: readonly number[],
  { width, height, fitted }: InputPixels,
  unit: EntryOf<'faces'>['boxes'],
): Box | null {
  const [left = 0, top = 0, right = 0, bottom = 0] = corners;
  const [across, down] = unit === 'pixels' ? [width, height] : [1, 1];
  const x = clamp((left / across - fitted.x) / fitted.w);
  const y = clamp((top / down - fitted.y) / fitted.h);
  const w = clamp((right / across - fitted.x) / fitted.w) - x;
  const h = clamp((bottom / down - fitted.y) / fitted.h) - y;
  return w > 0 && h > 0 ? { x, y, w, h } : null;
}

const clamp = (value: number) => Math.min(1, Math.max(0, value));

/** Keeps only the most certain of faces that overlap by more than `most` (intersection over union). */
function withoutOverlaps(faces: readonly Face[], most: number): Face[] {
  const kept: Face[] = [];
  for (const face of faces.toSorted((a, b) => b.confidence - a.confidence)) {
    if (kept.every(({ box }) => overlapOfBoxes(box, face.box) <= most)) kept.push(face);
  }
  return kept;
}

function overlapOfBoxes(a: Box, b: Box): number {
  const w = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
  const h = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
  if (w <= 0 || h <= 0) return 0;
  return (w * h) / (a.w * a.h + b.w * b.h - w * h);
}
