import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A built-in network: its file in `assets/networks`, its input, and the layers whose values it returns. */
export type Network = Readonly<{ name: string; input: string; outputs: readonly string[] }>;

/** Values of a layer, and its shape: pictures are [1, height, width, channels]. */
export type Output = Readonly<{ values: Float32Array; shape: readonly number[] }>;

/**
 * Runs a network on the red, green and blue values of a picture of `size` (width, height); returns the values of its
 * outputs in order.
 */
export type RunNetwork = (
  network: Network,
  pixels: Float32Array,
  size: readonly [width: number, height: number],
) => Promise<readonly Output[]>;

/** Folder of the networks, and of TensorFlow.js to run them; its README lists their sources. */
export const assetsFolder = fileURLToPath(new URL('../assets', import.meta.url));

/** A node of a TensorFlow graph, as its JSON converter writes it. Texts are Base64. */
export type GraphNode = Readonly<{
  name: string;
  op: string;
  input?: readonly string[];
  attr?: Readonly<Record<string, Attribute | undefined>>;
}>;
type Attribute = Readonly<{
  s?: string;
  b?: boolean;
  shape?: Readonly<{ dim: readonly { size: string }[] }>;
  list?: Readonly<{ i?: readonly string[]; s?: readonly string[] }>;
}>;

/** Describes a constant in the weights file, where all constants follow one another. */
export type WeightSpec = Readonly<{
  name: string;
  shape: readonly number[];
  dtype: 'float32' | 'int32';
  quantization?: Readonly<{ dtype: string }>;
}>;

export type GraphFile = Readonly<{
  modelTopology: Readonly<{ node: readonly GraphNode[] }>;
  weightSpecs: readonly WeightSpec[];
  weightData: ArrayBuffer;
}>;

/** Reads a network in the format of TensorFlow.js. */
export async function readGraph(name: string): Promise<GraphFile> {
  const [text, weights] = await Promise.all([
    readFile(join(assetsFolder, 'networks', `${name}.json`), 'utf8'),
    readFile(join(assetsFolder, 'networks', `${name}.bin`)),
  ]);
  const { modelTopology, weightsManifest } = JSON.parse(text) as Pick<GraphFile, 'modelTopology'> &
    Readonly<{ weightsManifest: readonly Readonly<{ weights: readonly WeightSpec[] }>[] }>;
  const weightData = weights.buffer.slice(weights.byteOffset, weights.byteOffset + weights.byteLength);
  return { modelTopology, weightSpecs: weightsManifest.flatMap((part) => part.weights), weightData };
}
