import sharp from 'sharp';
import type { Box } from '../facts.ts';
import type { Preprocessing } from './manifest.ts';

/** A picture as the input of a network. */
export type InputPixels = Readonly<{
  values: Float32Array;
  width: number;
  height: number;
  /** Where the whole picture lies, in fractions of the input; it extends beyond the input if the picture was cropped. */
  fitted: Box;
}>;

const kernels = { bicubic: 'cubic', bilinear: 'linear', lanczos: 'lanczos3', nearest: 'nearest' } as const;
const fits = { crop: 'cover', stretch: 'fill', pad: 'contain' } as const;

/** The width and height of an input. */
export function inputSize({ size }: Preprocessing): readonly [width: number, height: number] {
  return typeof size === 'number' ? [size, size] : size;
}

/** Decodes an upright picture for a network: cropped, stretched or padded to its size, and scaled to its range. */
export async function toPixels(jpeg: Uint8Array, preprocessing: Preprocessing): Promise<InputPixels> {
  const [width, height] = inputSize(preprocessing);
  const { resize, interpolation, mean, scale } = preprocessing;
  const image = sharp(jpeg);
  const { width: pictureWidth, height: pictureHeight } = await image.metadata();
  const [r, g, b] = mean.map((value) => Math.min(255, Math.max(0, Math.round(value / scale)))) as [
    number,
    number,
    number,
  ];
  const data = await image
    .resize(width, height, { fit: fits[resize], kernel: kernels[interpolation], background: { r, g, b } })
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer();
  const fitted = fittedBox(pictureWidth / pictureHeight, width / height, resize);
  return { values: normalize(data, preprocessing), width, height, fitted };
}

/** Joins the pixels of several pictures in one array, one after the other. */
export function joinPixels(pictures: readonly InputPixels[]): Float32Array {
  const [first] = pictures;
  if (first === undefined || pictures.length === 1) return first?.values ?? new Float32Array();
  const all = new Float32Array(pictures.length * first.values.length);
  for (const [index, { values }] of pictures.entries()) all.set(values, index * values.length);
  return all;
}

/** The dimensions of the input for this many pictures. */
export function inputDims({ layout }: Preprocessing, { width, height }: InputPixels, pictures: number): number[] {
  return layout === 'nchw' ? [pictures, 3, height, width] : [pictures, height, width, 3];
}

/** @param aspect, inputAspect width divided by height. */
function fittedBox(aspect: number, inputAspect: number, resize: Preprocessing['resize']): Box {
  if (resize === 'stretch') return { x: 0, y: 0, w: 1, h: 1 };
  const isWider = aspect > inputAspect;
  // The longer side of a cropped picture sticks out; the shorter side of a padded one falls short.
  const [w, h] =
    resize === 'crop'
      ? [Math.max(1, aspect / inputAspect), Math.max(1, inputAspect / aspect)]
      : [isWider ? 1 : aspect / inputAspect, isWider ? inputAspect / aspect : 1];
  return { x: (1 - w) / 2, y: (1 - h) / 2, w, h };
}

/** @param data RGB, three bytes a pixel. */
function normalize(data: Buffer, { mean, std, scale, layout, channels }: Preprocessing): Float32Array {
  const values = new Float32Array(data.length);
  const plane = data.length / 3;
  for (let channel = 0; channel < 3; channel += 1) {
    const source = channels === 'rgb' ? channel : 2 - channel;
    const [shift, factor] = [mean[channel] ?? 0, 1 / (std[channel] ?? 1)];
    for (let pixel = 0; pixel < plane; pixel += 1) {
      const value = ((data[3 * pixel + source] ?? 0) * scale - shift) * factor;
      values[layout === 'nchw' ? channel * plane + pixel : 3 * pixel + channel] = value;
    }
  }
  return values;
}
