/** Rotations and flips between two pictures; the names say what was done to the original. */
export const rotations = [
  'identity',
  'rotate90',
  'rotate180',
  'rotate270',
  'flipHorizontal',
  'flipVertical',
  'transpose',
  'transverse',
] as const;
export type Rotation = (typeof rotations)[number];

/** The basis of a cosine transform of `side` samples: its `frequencies` lowest frequencies, without the constant one. */
type CosineBasis = Readonly<{ side: number; frequencies: number; cosines: Float64Array }>;

/** Computes a basis, which all hashes of a kind share. */
export function cosineBasis(side: number, frequencies: number): CosineBasis {
  const cosines = Float64Array.from({ length: frequencies * side }, (_, k) => {
    const [i, j] = [Math.floor(k / side), k % side];
    return Math.sqrt(2 / side) * Math.cos((Math.PI / 2 / side) * (i + 1) * (2 * j + 1));
  });
  return { side, frequencies, cosines };
}

/** Computes the lowest frequencies of `side` × `side` samples, row by row. */
export function toSpectrum(samples: Float64Array, { side, frequencies, cosines }: CosineBasis): Float64Array {
  const rows = new Float64Array(frequencies * side);
  for (let i = 0; i < frequencies; i += 1) {
    for (let x = 0; x < side; x += 1) {
      let sum = 0;
      for (let y = 0; y < side; y += 1) sum += (cosines[i * side + y] as number) * (samples[y * side + x] as number);
      rows[i * side + x] = sum;
    }
  }
  const spectrum = new Float64Array(frequencies * frequencies);
  for (let i = 0; i < frequencies; i += 1) {
    for (let j = 0; j < frequencies; j += 1) {
      let sum = 0;
      for (let x = 0; x < side; x += 1) sum += (rows[i * side + x] as number) * (cosines[j * side + x] as number);
      spectrum[i * frequencies + j] = sum;
    }
  }
  return spectrum;
}

/** The effect of a rotation on a spectrum: swap the axes, and change the sign of every second row or column. */
const effects: Readonly<Record<Rotation, Readonly<{ swap: boolean; rows: boolean; columns: boolean }>>> = {
  identity: { swap: false, rows: false, columns: false },
  rotate90: { swap: true, rows: false, columns: true },
  rotate180: { swap: false, rows: true, columns: true },
  rotate270: { swap: true, rows: true, columns: false },
  flipHorizontal: { swap: false, rows: false, columns: true },
  flipVertical: { swap: false, rows: true, columns: false },
  transpose: { swap: true, rows: false, columns: false },
  transverse: { swap: true, rows: true, columns: true },
};

/** One bit per frequency: whether it is above the median. Most significant byte first. */
export function toBits(spectrum: Float64Array): Uint8Array {
  const median = spectrum.toSorted()[spectrum.length / 2 - 1] as number;
  const hash = new Uint8Array(spectrum.length / 8);
  for (const [k, value] of spectrum.entries()) {
    const byte = hash.length - 1 - (k >> 3);
    if (value > median) hash[byte] = (hash[byte] as number) | (1 << (k & 7));
  }
  return hash;
}

/**
 * The hash of the rotated picture, computed from the hash alone. The median of a spectrum is almost zero, so
 * a frequency that changes its sign flips its bit; some bits near the median come out wrong.
 */
export function rotateHash(hash: Uint8Array, rotation: Rotation): Uint8Array {
  const last = hash.length - 1;
  const rotated = new Uint8Array(hash.length);
  for (const [k, source] of movesOf(hash.length, rotation).entries()) {
    const from = source >> 1;
    const bit = (((hash[last - (from >> 3)] as number) >> (from & 7)) & 1) ^ (source & 1);
    rotated[last - (k >> 3)] = (rotated[last - (k >> 3)] as number) | (bit << (k & 7));
  }
  return rotated;
}

const knownMoves = new Map<string, Uint16Array>();

/** For each bit of a rotated hash, twice the index of the bit that it comes from, plus one if its sign changes. */
function movesOf(bytes: number, rotation: Rotation): Uint16Array {
  const key = `${bytes} ${rotation}`;
  const known = knownMoves.get(key);
  if (known !== undefined) return known;
  const frequencies = Math.sqrt(bytes * 8);
  const { swap, rows, columns } = effects[rotation];
  const moves = Uint16Array.from({ length: bytes * 8 }, (_, k) => {
    const [i, j] = [Math.floor(k / frequencies), k % frequencies];
    // Row 0 is the first frequency, an odd function about the middle: mirroring changes its sign.
    const isNegative = (rows && i % 2 === 0) !== (columns && j % 2 === 0);
    return (swap ? j * frequencies + i : k) * 2 + (isNegative ? 1 : 0);
  });
  knownMoves.set(key, moves);
  return moves;
}
