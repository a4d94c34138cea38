import type { Box } from '../../facts.ts';
import type { OnnxTensor } from '../../onnx/types.ts';
import { findAreas } from '../../ocr/areas.ts';
import type { Bounds } from '../../ocr/bounds.ts';
import { ModelError } from '../model-error.ts';
import { inputDims, toPixels } from '../pixels.ts';
import type { InputPixels } from '../pixels.ts';
import type { TaskOf } from '../tools.ts';

/**
 * A detected area grows on each side by its area times this factor, divided by its outline: the network is trained on
 * shrunken lines (DB, arXiv:1911.08947).
 */
const growth = 1.5;
const leastPixels = 3;

/**
 * Finds lines of text in a picture, from top to bottom, with a network that returns the probability of text for each pixel.
 */
export async function findLineBoxes({ entry, tools }: TaskOf<'ocr'>, jpeg: Uint8Array): Promise<readonly Box[]> {
  const { files, detection, thresholds } = entry;
  if (files.detection === undefined || detection === undefined) return [{ x: 0, y: 0, w: 1, h: 1 }];
  const { session } = await tools.networks.open(files.detection, entry);
  const pixels = await toPixels(jpeg, detection);
  const input = tools.runtime.floats(pixels.values, inputDims(detection, pixels, 1));
  const output = (await session.run({ [session.inputNames[0] ?? '']: input }))[session.outputNames[0] ?? ''];
  const { values, width, height } = toMap(output);
  const isText = Uint8Array.from(values, (value) => (value >= thresholds.detection ? 1 : 0));
  return findAreas({ values: isText, width, height }, 'corners', leastPixels)
    .map(({ bounds }) => toBox(grow(bounds), { width, height, fitted: pixels.fitted }))
    .filter(({ w, h }) => w > 0 && h > 0)
    .toSorted((a, b) => a.y + a.h / 2 - (b.y + b.h / 2));
}

/** @throws ModelError if the network returned no map of probabilities */
function toMap(output: OnnxTensor | undefined) {
  const [height = 0, width = 0] = output?.dims.slice(-2) ?? [];
  if (output === undefined || output.data.length !== width * height) {
    const dims = output?.dims.join(', ') ?? '';
    throw new ModelError('failed', `the detector returned [${dims}] instead of [1, 1, height, width]`);
  }
  return { values: output.data, width, height };
}

function grow({ left, top, right, bottom }: Bounds): Bounds {
  const [w, h] = [right - left, bottom - top];
  const by = (w * h * growth) / (2 * (w + h));
  return { left: left - by, top: top - by, right: right + by, bottom: bottom + by };
}

/** Converts pixels of the input to fractions of the picture, and cuts off what lies outside it. */
function toBox({ left, top, right, bottom }: Bounds, { width, height, fitted }: Omit<InputPixels, 'values'>): Box {
  const toX = (x: number) => clamp((x / width - fitted.x) / fitted.w);
  const toY = (y: number) => clamp((y / height - fitted.y) / fitted.h);
  return { x: toX(left), y: toY(top), w: toX(right) - toX(left), h: toY(bottom) - toY(top) };
}

const clamp = (value: number) => Math.min(1, Math.max(0, value));
