/**
 * Number of parts of a hash; each is indexed separately in `fingerprint_hash`. The last three bits belong to no part.
 */
export const hashParts = 11;
const partBits = 23;

/** With more differing bits per part, there would be too many values to look up. */
const mostDifferingBits = 3;
export const mostIndexedDistance = hashParts * (mostDifferingBits + 1) - 1;

/** What to look up per part: for part k, its value with each of the first `counts[k]` masks applied. */
type HashProbes = Readonly<{ masks: readonly number[]; counts: readonly number[] }>;

/**
 * Determines what to look up so that every pair within a distance is found. If each part k of a pair differed in more
 * than r(k) bits, the pair would differ in at least r(1) + … + r(n) + n bits. So it is enough to look up differences
 * of r(k) bits where these add up to `distance - n + 1`. A part with r = -1 needs no lookup.
 */
export function probesWithin(distance: number): HashProbes {
  if (!Number.isInteger(distance) || distance < 0 || distance > mostIndexedDistance) {
    throw new RangeError(`a distance is 0 to ${mostIndexedDistance} bits`);
  }
  const sum = distance - hashParts + 1;
  const least = Math.floor(sum / hashParts);
  const further = sum - least * hashParts;
  const counts = Array.from({ length: hashParts }, (_, part) => countUpTo(part < further ? least + 1 : least));
  return { masks: allMasks.slice(0, Math.max(...counts)), counts };
}

/** Masks of a part with no bit set, one, two and so on, fewest bits first. */
const allMasks = masksUpTo(mostDifferingBits);

function countUpTo(bits: number): number {
  let [count, ofBits] = [0, 1];
  for (let k = 0; k <= bits; k += 1) {
    count += ofBits;
    ofBits = (ofBits * (partBits - k)) / (k + 1);
  }
  return count;
}

function masksUpTo(most: number): readonly number[] {
  const all: number[] = [0];
  let former = [0];
  for (let bits = 1; bits <= most; bits += 1) {
    // Only adds bits above the highest one, so that each mask occurs once.
    former = former.flatMap((mask) =>
      Array.from({ length: partBits }, (_, bit) => 2 ** bit)
        .filter((bit) => bit > mask)
        .map((bit) => mask | bit),
    );
    all.push(...former);
  }
  return all;
}
