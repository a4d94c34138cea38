/** How many bytes of a HEIC are searched for its color profile, which precedes all pixels. */
const headerBytes = 2 ** 16;

/** Starts of the box with a color profile, after its length. */
const profileBoxes = ['colrprof', 'colrrICC'] as const;

/** The ICC profile of a HEIC, which phones write for their wide color gamut. Null if it has none. */
export function readColorProfile(bytes: Buffer): Buffer | null {
  const head = bytes.subarray(0, headerBytes);
  for (const box of profileBoxes) {
    const at = head.indexOf(box);
    if (at < 4) continue;
    const end = at - 4 + head.readUInt32BE(at - 4);
    if (end > at + box.length && end <= head.length) return head.subarray(at + box.length, end);
  }
  return null;
}
