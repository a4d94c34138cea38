import { loadKernels } from '../index/wasm/kernels.ts';
import type { Kernels } from '../index/wasm/kernels.ts';

/**
 * Finds all pairs of near hashes, exactly, without comparing every pair. 256 bits are cut into 16 bands of 16: hashes
 * that differ in at most d bits differ in at most ⌊d / 16⌋ bits in at least one band. So for each band, hashes are
 * sorted by its value, and those with one value are compared with those of all values that differ in at most that
 * many bits. For d = 31, that is one pair in 500.
 */

const bands = 16;
const bandValues = 65_536;
const hashBytes = 32;
/** Maximum distance; beyond it, there are too many combinations of bits to flip in a band. */
const maxDistance = 3 * bands - 1;
/** Maximum number of hashes on either side of a comparison, which bounds the space for pairs. */
const slice = 512;
const pageBytes = 65_536;

type NearPair = (a: number, b: number) => void;

/**
 * Calls `onPair` for pairs (a < b) of hashes, 32 bytes each, that differ in at most `distance` bits. A pair is reported once
 * for each band in which it is near. `onBand` is called after each band.
 */
export function forNearPairs(
  hashes: Uint8Array,
  distance: number,
  onPair: NearPair,
  onBand: (band: number) => void = () => {},
): void {
  if (distance > maxDistance) throw new RangeError(`near hashes differ in at most ${maxDistance} bits`);
  const room = Math.ceil((hashes.length + 4 + slice * slice * 8) / pageBytes);
  const memory = new WebAssembly.Memory({ initial: room, maximum: room, shared: true });
  const kernels = loadKernels(memory);
  const flips = flipsOf(Math.floor(distance / bands));
  for (let band = 0; band < bands; band += 1) {
    const laid = layOut(hashes, band, new Uint8Array(memory.buffer));
    const compare = comparer(kernels, memory.buffer, { ...laid, out: hashes.length, distance, onPair });
    for (let value = 0; value < bandValues; value += 1) {
      if (laid.starts[value] === laid.starts[value + 1]) continue;
      // Each pair of values is compared only once: from the smaller one.
      for (const flip of flips) if ((value ^ flip) >= value) compare(value, value ^ flip);
    }
    onBand(band);
  }
}

/** Hashes in the order of a band's values: those with value v are from `starts[v]` up to `starts[v + 1]`. */
type Laid = Readonly<{ starts: Uint32Array; members: Uint32Array }>;

function layOut(hashes: Uint8Array, band: number, target: Uint8Array): Laid {
  const count = hashes.length / hashBytes;
  const starts = new Uint32Array(bandValues + 1);
  const valueOf = (index: number) => {
    const at = index * hashBytes + band * 2;
    return (hashes[at] as number) | ((hashes[at + 1] as number) << 8);
  };
  for (let index = 0; index < count; index += 1) {
    const after = valueOf(index) + 1;
    starts[after] = (starts[after] as number) + 1;
  }
  for (let value = 0; value < bandValues; value += 1) {
    starts[value + 1] = (starts[value + 1] as number) + (starts[value] as number);
  }
  const free = starts.slice();
  const members = new Uint32Array(count);
  for (let index = 0; index < count; index += 1) {
    const value = valueOf(index);
    const at = free[value] as number;
    free[value] = at + 1;
    members[at] = index;
    target.set(hashes.subarray(index * hashBytes, (index + 1) * hashBytes), at * hashBytes);
  }
  return { starts, members };
}

type Comparison = Laid & Readonly<{ out: number; distance: number; onPair: NearPair }>;

/** Compares all hashes of one value with all of another. */
function comparer(kernels: Kernels, buffer: ArrayBufferLike, comparison: Comparison): (a: number, b: number) => void {
  const { starts, members, out, distance, onPair } = comparison;
  const found = new Uint32Array(buffer, out, 1 + slice * slice * 2);
  const compareSlices = (a: number, countA: number, b: number, countB: number) => {
    kernels.pairs(a * hashBytes, countA, b * hashBytes, countB, distance, out);
    const words = (found[0] as number) / 4;
    for (let k = 1; k < words; k += 2) {
      const one = members[a + (found[k] as number)] as number;
      const two = members[b + (found[k + 1] as number)] as number;
      // Within one value, a hash is paired with itself, and each pair occurs twice.
      if (one < two) onPair(one, two);
      else if (one > two && a !== b) onPair(two, one);
    }
  };
  return (valueA, valueB) => {
    const [endA, endB] = [starts[valueA + 1] as number, starts[valueB + 1] as number];
    for (let a = starts[valueA] as number; a < endA; a += slice) {
      for (let b = starts[valueB] as number; b < endB; b += slice) {
        compareSlices(a, Math.min(slice, endA - a), b, Math.min(slice, endB - b));
      }
    }
  };
}

/** All ways to flip at most `most` bits of a band. */
function flipsOf(most: number): number[] {
  const bits = Array.from({ length: 16 }, (_, bit) => 2 ** bit);
  let level = [0];
  const all = [0];
  for (let flipped = 0; flipped < most; flipped += 1) {
    // Only flips bits above the highest one set, so that no combination occurs twice.
    level = level.flatMap((mask) => bits.filter((bit) => bit > mask).map((bit) => mask | bit));
    all.push(...level);
  }
  return all;
}
