/**
 * All pairs of near hashes, exactly, without looking at all pairs. 256 bits are cut into 11 bands:
 * hashes that differ in at most d bits differ in at most ⌊d / 11⌋ bits in one band at least, so it is
 * enough to look at those whose band is so near. Bands have 23 or 24 bits, so that among a million
 * hashes few share one by chance: the work grows with the number of hashes, not with its square.
 */

const bands = 11;
const hashBytes = 32;
const words = hashBytes / 4;
/** Bands of the most flipped bits that are worth it: beyond it there are too many ways to flip. */
const maxDistance = 3 * bands - 1;

type Band = Readonly<{ start: number; bits: number; heads: Int32Array; next: Int32Array; flips: Uint32Array }>;

/** Finds, for any of many hashes, those near it. */
export class Neighbours {
  readonly #hashes: Uint32Array;
  readonly #bands: readonly Band[];
  readonly #distance: number;
  readonly #shift: number;
  /** In which search a hash was met last, so that each is compared once a search. */
  readonly #met: Uint32Array;
  #search = 0;

  /** `hashes` are 32 bytes each, one after the other; neighbours differ in at most `distance` bits. */
  constructor(hashes: Uint8Array, distance: number) {
    if (distance > maxDistance) throw new RangeError(`neighbours differ in at most ${maxDistance} bits`);
    this.#hashes = new Uint32Array(hashes.slice().buffer);
    this.#distance = distance;
    const count = this.size;
    this.#met = new Uint32Array(count);
    const tableBits = Math.min(24, Math.max(8, Math.ceil(Math.log2(count + 1)) + 2));
    this.#shift = 32 - tableBits;
    this.#bands = Array.from({ length: bands }, (_, k) => {
      const start = Math.floor((256 * k) / bands);
      const bits = Math.floor((256 * (k + 1)) / bands) - start;
      const heads = new Int32Array(2 ** tableBits).fill(-1);
      return { start, bits, heads, next: new Int32Array(count), flips: flipsOf(bits, Math.floor(distance / bands)) };
    });
    for (const band of this.#bands) this.#fill(band);
  }

  get size(): number {
    return this.#hashes.length / words;
  }

  /** All others near this one, in their order. */
  of(index: number): number[] {
    this.#search += 1;
    this.#met[index] = this.#search;
    const near: number[] = [];
    for (const { start, bits, heads, next, flips } of this.#bands) {
      const value = this.#valueOf(index, start, bits);
      for (let k = 0; k < flips.length; k += 1) {
        const probe = value ^ (flips[k] as number);
        for (let other = heads[this.#placeOf(probe)] as number; other >= 0; other = next[other] as number) {
          if (this.#met[other] === this.#search) continue;
          this.#met[other] = this.#search;
          if (this.distance(index, other) <= this.#distance) near.push(other);
        }
      }
    }
    return near.toSorted((a, b) => a - b);
  }

  /** How many bits of two hashes differ. */
  distance(a: number, b: number): number {
    const hashes = this.#hashes;
    let distance = 0;
    for (let k = 0; k < words; k += 1) {
      let bits = (hashes[a * words + k] as number) ^ (hashes[b * words + k] as number);
      bits -= (bits >>> 1) & 0x55555555;
      bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
      distance += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
    }
    return distance;
  }

  #fill({ start, bits, heads, next }: Band): void {
    // From the last to the first, so that chains run upwards.
    for (let index = this.size - 1; index >= 0; index -= 1) {
      const place = this.#placeOf(this.#valueOf(index, start, bits));
      next[index] = heads[place] as number;
      heads[place] = index;
    }
  }

  #placeOf(value: number): number {
    return Math.imul(value, 0x9e37_79b1) >>> this.#shift;
  }

  /** The band's bits; they may lie in two words. */
  #valueOf(index: number, start: number, bits: number): number {
    const at = index * words + (start >> 5);
    const offset = start & 31;
    const low = (this.#hashes[at] as number) >>> offset;
    const high = offset + bits > 32 ? (this.#hashes[at + 1] as number) << (32 - offset) : 0;
    return (low | high) & (2 ** bits - 1);
  }
}

/** All ways to flip at most `most` of so many bits. */
function flipsOf(bits: number, most: number): Uint32Array {
  let level = [0];
  const all = [0];
  for (let flipped = 0; flipped < most; flipped += 1) {
    // Only above the highest bit that is set, so that no way comes twice.
    level = level.flatMap((mask) =>
      Array.from({ length: bits }, (_, bit) => 2 ** bit)
        .filter((bit) => bit > mask)
        .map((bit) => mask | bit),
    );
    all.push(...level);
  }
  return Uint32Array.from(all);
}
