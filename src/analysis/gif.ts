/** An image or an extension, and where it begins. */
type GifBlock = Readonly<{ isImage: boolean; at: number }>;

/** The images and extensions of a GIF, in order; each is followed by parts of up to 255 bytes. */
export function* gifBlocks(bytes: Buffer): Generator<GifBlock> {
  let at = 13 + tableSize(bytes[10]);
  while (at < bytes.length) {
    const isImage = bytes[at] === 0x2c;
    if (!isImage && bytes[at] !== 0x21) return;
    yield { isImage, at };
    at += isImage ? 11 + tableSize(bytes[at + 9]) : 2;
    for (let size = bytes[at] ?? 0; size > 0; size = bytes[at] ?? 0) at += size + 1;
    at += 1;
  }
}

/** Bytes of the color table that these flags announce. */
function tableSize(flags = 0): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}
