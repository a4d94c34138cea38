import type { GraphFile, WeightSpec } from './network.ts';

/** A constant of a graph, in TensorFlow's order: height, width, input and output channels of a convolution. */
export type Weights = Readonly<{ shape: readonly number[]; values: Float32Array | Int32Array }>;

/** Reads the constants of a graph, by name; floats of 16 bits are converted to 32 bits. */
export function readWeights({
  weightSpecs,
  weightData,
}: Pick<GraphFile, 'weightSpecs' | 'weightData'>): Map<string, Weights> {
  const all = new Map<string, Weights>();
  let at = 0;
  for (const spec of weightSpecs) {
    const length = spec.shape.reduce((product, side) => product * side, 1);
    const bytesEach = spec.quantization === undefined ? 4 : 2;
    all.set(spec.name, { shape: spec.shape, values: valuesOf(spec, weightData.slice(at, at + length * bytesEach)) });
    at += length * bytesEach;
  }
  return all;
}

function valuesOf({ name, dtype, quantization }: WeightSpec, data: ArrayBuffer): Weights['values'] {
  if (quantization === undefined) return dtype === 'int32' ? new Int32Array(data) : new Float32Array(data);
  if (quantization.dtype !== 'float16') throw new Error(`${name} has numbers of ${quantization.dtype}`);
  const halves = new Uint16Array(data);
  const values = new Float32Array(halves.length);
  for (let i = 0; i < values.length; i += 1) values[i] = numbers[halves[i] as number] as number;
  return values;
}

/** Lookup table from 16 bits to the number that they encode (IEEE 754 binary16). */
const numbers = Float32Array.from({ length: 65_536 }, (_, bits) => fromHalf(bits));

function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
