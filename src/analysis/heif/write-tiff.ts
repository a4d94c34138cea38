/** A picture with 8 bits per channel, read row by row. */
type TiffPicture = Readonly<{
  width: number;
  height: number;
  channels: 3 | 4;
  /** ICC profile; null for sRGB. */
  profile: Buffer | null;
  /** Writes row `y` to the beginning of `target`. */
  writeRow: (y: number, target: Uint8Array) => void;
}>;

/** Decoders read a strip as a whole: this many bytes keep strips small. */
const stripBytes = 2 ** 20;

/** Number types: their codes, and the bytes per value. */
const types = { short: { code: 3, size: 2 }, long: { code: 4, size: 4 }, undefined: { code: 7, size: 1 } } as const;

type Entry = Readonly<{ tag: number; type: keyof typeof types; values: readonly number[] | Buffer }>;

/**
 * Writes a picture as an uncompressed TIFF, which every decoder reads fast, in strips and with its color profile.
 * Source: TIFF Revision 6.0, sections 2 and 7.
 */
export function writeTiff({ width, height, channels, profile, writeRow }: TiffPicture): Uint8Array<ArrayBuffer> {
  const rowBytes = width * channels;
  const rows = Math.max(1, Math.min(height, Math.floor(stripBytes / rowBytes)));
  const strips = Array.from({ length: Math.ceil(height / rows) }, (_, n) => n * rows);
  const entriesAt = (pixelsAt: number): Entry[] => [
    { tag: 256, type: 'long', values: [width] },
    { tag: 257, type: 'long', values: [height] },
    { tag: 258, type: 'short', values: Array.from({ length: channels }, () => 8) },
    { tag: 259, type: 'short', values: [1] }, // Not compressed.
    { tag: 262, type: 'short', values: [2] }, // RGB.
    { tag: 273, type: 'long', values: strips.map((row) => pixelsAt + row * rowBytes) },
    { tag: 277, type: 'short', values: [channels] },
    { tag: 278, type: 'long', values: [rows] },
    { tag: 279, type: 'long', values: strips.map((row) => Math.min(rows, height - row) * rowBytes) },
    { tag: 284, type: 'short', values: [1] }, // Chunky: the channels of a pixel are adjacent.
    ...(channels === 4 ? [{ tag: 338, type: 'short', values: [2] } as const] : []), // The fourth is alpha.
    ...(profile === null ? [] : [{ tag: 34675, type: 'undefined', values: profile } as const]),
  ];
  const pixelsAt = writeHeader(entriesAt(0)).length;
  const header = writeHeader(entriesAt(pixelsAt));
  const file = new Uint8Array(pixelsAt + height * rowBytes);
  file.set(header);
  for (let y = 0; y < height; y += 1) writeRow(y, file.subarray(pixelsAt + y * rowBytes));
  return file;
}

/** The header and the directory, followed by the values that do not fit into it. */
function writeHeader(entries: readonly Entry[]): Buffer {
  const directory = Buffer.alloc(8 + 2 + entries.length * 12 + 4);
  directory.write('II*\0', 'latin1');
  directory.writeUInt32LE(8, 4);
  directory.writeUInt16LE(entries.length, 8);
  const behind: Buffer[] = [];
  let end = directory.length;
  for (const [n, { tag, type, values }] of entries.entries()) {
    const at = 10 + n * 12;
    const { code, size } = types[type];
    const content = Buffer.isBuffer(values) ? values : writeNumbers(values, size);
    directory.writeUInt16LE(tag, at);
    directory.writeUInt16LE(code, at + 2);
    directory.writeUInt32LE(content.length / size, at + 4);
    if (content.length <= 4) content.copy(directory, at + 8);
    else {
      directory.writeUInt32LE(end, at + 8);
      const padded = Buffer.concat([content, Buffer.alloc(content.length % 2)]);
      behind.push(padded);
      end += padded.length;
    }
  }
  return Buffer.concat([directory, ...behind]);
}

function writeNumbers(values: readonly number[], size: number): Buffer {
  const bytes = Buffer.alloc(values.length * size);
  for (const [n, value] of values.entries()) bytes.writeUIntLE(value, n * size, size);
  return bytes;
}
