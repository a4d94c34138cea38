import type { Box } from '../../facts.ts';
import { findAreas } from '../../ocr/areas.ts';
import { ModelError } from '../model-error.ts';
import { inputDims, toPixels } from '../pixels.ts';
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
  const [height = 0, width = 0] = output?.dims.slice(-2) ?? [];
  if (output === undefined || output.data.length !== width * height) {
    throw new ModelError(
      'failed',
      `the detector returned [${output?.dims.join(', ') ?? ''}] instead of [1, 1, height, width]`,
    );
  }
  const values = Uint8Array.from(output.data, (value) => (value >= thresholds.detection ? 1 : 0));
  const boxes: Box[] = [];
  for (const { bounds } of findAreas({ values, width, height }, 'corners', leastPixels)) {
    const { left, top, right, bottom } = bounds;
    const [w, h] = [right - left, bottom - top];
    const grown = (w * h * growth) / (2 * (w + h));
    const { fitted } = pixels;
    const [x0, x1] = [left - grown, right + grown].map((x) => clamp((x / width - fitted.x) / fitted.w)) as [
      number,
      number,
    ];
    const [y0, y1] = [top - grown, bottom + grown].map((y) => clamp((y / height - fitted.y) / fitted.h)) as [
      number,
      number,
    ];
    if (x1 > x0 && y1 > y0) boxes.push({ x: x0, y: y0, w: x1 - x0, h: y1 - y0 });
  }
  return boxes.toSorted((a, b) => a.y + a.h / 2 - (b.y + b.h / 2));
}

const clamp = (value: number) => Math.min(1, Math.max(0, value));
