import { instantiate } from '../../../lib/instantiate.ts';

/** Maximum number of descriptors of a picture that are compared; stored pictures have no more. */
export const maxDescriptors = 255;
const bytes = 32;
/** Offsets of the descriptors of both pictures, and of the results. */
const at = { a: 0, b: 8_192, rows: 16_384, bestOfB: 18_432 } as const;

type Nearest = (a: number, countA: number, b: number, countB: number, rows: number, bestOfB: number) => void;
type Kernel = Readonly<{ nearest: Nearest; memory: Uint8Array; results: Uint16Array; bestOfB: Uint16Array }>;

/** `rows`, by descriptor of the first picture: the nearest one of the second, its distance, and that of the next. */
type NearestDescriptors = Readonly<{ rows: Uint16Array; bestOfB: Uint16Array }>;

let kernel: Kernel | undefined;

/**
 * Compares all descriptors (256 bits each) of two pictures. `bestOfB` has for each descriptor of the second picture the
 * distance of the nearest one. The result is valid until the next call. The build compiles `corners.wat`.
 */
export function nearestDescriptors(a: Uint8Array, b: Uint8Array): NearestDescriptors {
  const { nearest, memory, results, bestOfB } = (kernel ??= loadKernel());
  const [countA, countB] = [a.length / bytes, b.length / bytes];
  if (Math.max(countA, countB) > maxDescriptors)
    throw new RangeError(`a picture has ${maxDescriptors} corners at most`);
  memory.set(a, at.a);
  memory.set(b, at.b);
  results.fill(0xffff, 0, countA * 3);
  bestOfB.fill(0xffff, 0, countB);
  nearest(at.a, countA, at.b, countB, at.rows, at.bestOfB);
  return { rows: results.subarray(0, countA * 3), bestOfB };
}

function loadKernel(): Kernel {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1 });
  const exports = instantiate(new URL('corners.wasm', import.meta.url), memory);
  const { buffer } = memory;
  return {
    nearest: exports['nearest'] as Nearest,
    memory: new Uint8Array(buffer),
    results: new Uint16Array(buffer, at.rows, (at.bestOfB - at.rows) / 2),
    bestOfB: new Uint16Array(buffer, at.bestOfB, maxDescriptors),
  };
}
