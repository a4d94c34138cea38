import { readFile } from 'node:fs/promises';
import { loadOnce } from '../../lib/load-once.ts';
import type { Raster } from '../raster.ts';
import { resample } from '../resample.ts';
import { ceddSize, describeColorTexture } from './cedd.ts';
import { centernet } from './objects.ts';
import type { Network, RunNetwork } from '../networks/network.ts';

/** Outputs in the middle of CenterNet's backbone; which ones to use, and how, was measured: see docs/analyzers.md. */
export const layersOfBackbone: Network = {
  ...centernet,
  outputs: [10, 11, 13].map((layer) => `tower_0/MobilenetV3/expanded_conv_${layer}/depthwise/hard_swish/mul_1`),
};
/** Number of pixels of the network's input, which keeps the proportions; its sides are multiples of the coarsest step. */
const area = 224 * 224;
const step = 32;
const share = { network: 0.8, colorTexture: 0.2 } as const;

export const featureSize = 384 + 528 + 720 + ceddSize;
export const embeddingSize = 128;

/** The axes of the embedding, computed by scripts/fit-embedding.js. */
const basisFile = new URL('../assets/embedding-basis.bin', import.meta.url);

/** The mean of features, and the axes along which pictures differ most, weighted. */
type EmbeddingBasis = Readonly<{ mean: Float32Array; axes: Int8Array; scales: Float32Array }>;
const loadBasis = loadOnce(readBasis);

/** Returns a picture as 128 numbers; the cosine of two such vectors says how similar the pictures look. */
export async function embed(raster: Raster, run: RunNetwork): Promise<Int8Array> {
  const [basis, features] = [await loadBasis(), await describePicture(raster, run)];
  return project(features, basis);
}

/** Returns the outputs of the network and the histogram, before their reduction to 128 numbers. */
export async function describePicture(raster: Raster, run: RunNetwork): Promise<Float32Array> {
  const scale = Math.sqrt(area / (raster.width * raster.height));
  const fit = (length: number) => Math.min(14, Math.max(3, Math.round((length * scale) / step))) * step;
  const size = [fit(raster.width), fit(raster.height)] as const;
  const pixels = resample(raster, { x: 0, y: 0, width: raster.width, height: raster.height }, size);
  const outputs = await run(layersOfBackbone, pixels, size);
  const features = new Float32Array(featureSize);
  let at = 0;
  for (const { values, shape } of outputs) {
    const mean = unit(meanOverSpace(values, shape.at(-1) ?? 1), Math.sqrt(share.network / outputs.length));
    features.set(mean, at);
    at += mean.length;
  }
  features.set(unit(describeColorTexture(raster), Math.sqrt(share.colorTexture)), at);
  return features;
}

function meanOverSpace(values: Float32Array, channels: number): Float32Array {
  const mean = new Float32Array(channels);
  for (let i = 0; i < values.length; i += 1)
    mean[i % channels] = (mean[i % channels] as number) + (values[i] as number);
  return mean;
}

function unit(values: Float32Array, length: number): Float32Array {
  const norm = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)) || 1;
  return values.map((value) => (value / norm) * length);
}

/** Projects features onto the axes of a basis, as bytes scaled to their whole range. */
export function project(features: Float32Array, { mean, axes, scales }: EmbeddingBasis): Int8Array {
  const values = new Float32Array(embeddingSize);
  for (let axis = 0; axis < embeddingSize; axis += 1) {
    let sum = 0;
    const from = axis * featureSize;
    for (let i = 0; i < featureSize; i += 1) {
      sum += (axes[from + i] as number) * ((features[i] as number) - (mean[i] as number));
    }
    values[axis] = sum * (scales[axis] as number);
  }
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  return Int8Array.from(values, (value) => Math.round((value / largest) * 127));
}

async function readBasis(): Promise<EmbeddingBasis> {
  const file = await readFile(basisFile);
  const bytes = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
  const mean = new Float32Array(bytes, 0, featureSize);
  const scales = new Float32Array(bytes, featureSize * 4, embeddingSize);
  return { mean, scales, axes: new Int8Array(bytes, (featureSize + embeddingSize) * 4, embeddingSize * featureSize) };
}
