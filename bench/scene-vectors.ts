/** Length of the vectors, like those of the built-in model. */
export const dimensions = 128;
/** The spread of each dimension, as it would be after a principal component analysis. */
const spread = Array.from({ length: dimensions }, (_, k) => 40 / (1 + k / 8) ** 0.7);

/** Returns the vector of the picture with a number. */
export type Vectors = (n: number) => Int8Array;

/** Pictures in scenes of twenty. Of the pictures in other scenes, one in twenty is similar by `i~`. */
export function vectorsOf(count: number): Vectors {
  const scenes = Math.ceil(count / 20);
  const [scene, own] = [(n: number) => noiseFrom(n % scenes), (n: number) => noiseFrom(scenes + n)];
  return (n) => {
    const [center, noise] = [scene(n), own(n)];
    return Int8Array.from(spread, (size) =>
      Math.max(-127, Math.min(127, Math.round(size * (center() + 0.6 * noise())))),
    );
  };
}

/** Random numbers around 0, the same for the same seed. */
function noiseFrom(seed: number): () => number {
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => (next() + next() + next() - 1.5) * 2;
}
