import sharp from 'sharp';
import type { Box, OcrResult, TextLine } from '../../facts.ts';
import { ModelError } from '../model-error.ts';
import { inputDims, inputSize, toPixels } from '../pixels.ts';
import type { OnnxTensor } from '../../onnx/types.ts';
import type { TaskOf } from '../tools.ts';
import { activate } from './activate.ts';
import { findLineBoxes } from './find-line-boxes.ts';
import { largestAt } from './write-captions.ts';

/** Line widths are rounded to multiples of this, because networks divide them. */
const widthStep = 8;

/** Reads the text of pictures line by line, with a recognizer that returns classes for each column (CTC), such as PP-OCR. */
export async function readLines(task: TaskOf<'ocr'>, jpegs: readonly Uint8Array[], lang: string): Promise<OcrResult[]> {
  const all: OcrResult[] = [];
  for (const jpeg of jpegs) {
    const lines: TextLine[] = [];
    for (const box of await findLineBoxes(task, jpeg)) {
      const read = await readLine(task, await cutLine(jpeg, box));
      if (read.text !== '' && read.confidence >= task.entry.thresholds.ocr) lines.push({ ...read, lang, box });
    }
    all.push({ text: lines.map(({ text }) => text).join('\n'), lines, turned: 0 });
  }
  return all;
}

async function cutLine(jpeg: Uint8Array, { x, y, w, h }: Box): Promise<Readonly<{ png: Buffer; aspect: number }>> {
  const image = sharp(jpeg);
  const { width, height } = await image.metadata();
  const [left, top] = [Math.min(width - 1, Math.floor(x * width)), Math.min(height - 1, Math.floor(y * height))];
  const size = {
    width: Math.max(1, Math.min(width - left, Math.ceil(w * width))),
    height: Math.max(1, Math.min(height - top, Math.ceil(h * height))),
  };
  const png = await image
    .extract({ left, top, ...size })
    .png({ compressionLevel: 0 })
    .toBuffer();
  return { png, aspect: size.width / size.height };
}

/** Reads a line scaled to the height of the input, in its own aspect ratio up to the input's width. */
async function readLine(
  { entry, tools }: TaskOf<'ocr'>,
  { png, aspect }: Readonly<{ png: Buffer; aspect: number }>,
): Promise<Readonly<{ text: string; confidence: number }>> {
  const [most, height] = inputSize(entry.preprocessing);
  const width = Math.min(most, Math.max(widthStep, Math.round((height * aspect) / widthStep) * widthStep));
  const preprocessing = {
    ...entry.preprocessing,
    size: [width, height] as [number, number],
    resize: 'stretch' as const,
  };
  const { session } = await tools.networks.open(entry.files.recognition, entry);
  const pixels = await toPixels(png, preprocessing);
  const input = tools.runtime.floats(pixels.values, inputDims(preprocessing, pixels, 1));
  const output = (await session.run({ [session.inputNames[0] ?? '']: input }))[session.outputNames[0] ?? ''];
  return decodeColumns(output, entry.labels);
}

/** Takes the likeliest class of each column; repetitions are one character, and class 0 separates characters (CTC). */
function decodeColumns(output: OnnxTensor | undefined, labels: readonly string[]) {
  const [batch, columns = 0, classes = 0] = output?.dims ?? [];
  if (output?.dims.length !== 3 || batch !== 1)
    throw new ModelError('failed', 'the recognizer did not return [1, T, classes]');
  if (classes !== labels.length + 1) {
    throw new ModelError('failed', `the recognizer has ${classes} classes; models.json needs ${classes - 1} labels`);
  }
  const probabilities: number[] = [];
  let [text, before] = ['', 0];
  for (let column = 0; column < columns; column += 1) {
    const best = largestAt(output.data, column * classes, classes);
    if (best !== 0 && best !== before) {
      text += labels[best - 1] ?? '';
      probabilities.push(probabilityAt(output.data, column * classes, classes, best));
    }
    before = best;
  }
  const sum = probabilities.reduce((total, value) => total + value, 0);
  return { text: text.trim(), confidence: probabilities.length === 0 ? 0 : sum / probabilities.length };
}

/** Some exports end in a softmax, others return the values before it. */
function probabilityAt(data: ArrayLike<number>, start: number, count: number, index: number): number {
  const row = Float32Array.from({ length: count }, (_, k) => data[start + k] ?? 0);
  const sum = row.reduce((total, value) => total + value, 0);
  const areProbabilities = Math.abs(sum - 1) < 0.01 && row.every((value) => value >= 0);
  return (areProbabilities ? row : activate(row, 'softmax'))[index] ?? 0;
}
