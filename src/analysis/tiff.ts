/** Reads numbers in a TIFF or BigTIFF. */
type Tiff = Readonly<{
  /** An unsigned number of this many bytes; 0 beyond the end of the file. */
  read: (at: number, size: number) => number;
  countSize: number;
  entrySize: number;
  offsetSize: number;
  /** Offset of the first directory. */
  first: number;
}>;

/** Opens a file that begins like a TIFF. */
export function openTiff(bytes: Buffer): Tiff {
  const isLittle = bytes[0] === 0x49;
  const isBig = bytes[isLittle ? 2 : 3] === 0x2b;
  const read = (at: number, size: number) => {
    if (at + size > bytes.length) return 0;
    if (size === 8) return Number(isLittle ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at));
    return isLittle ? bytes.readUIntLE(at, size) : bytes.readUIntBE(at, size);
  };
  const [countSize, entrySize, offsetSize] = isBig ? ([8, 20, 8] as const) : ([2, 12, 4] as const);
  return { read, countSize, entrySize, offsetSize, first: read(isBig ? 8 : 4, offsetSize) };
}

/**
 * Length in bytes of each type of integer in a directory, by the number of the type. Decoders accept the signed ones
 * (6, 8, 9, 17) for every tag, too.
 */
const integers: Readonly<Record<number, number>> = { 1: 1, 3: 2, 4: 4, 6: 1, 8: 2, 9: 4, 16: 8, 17: 8 };

/** Decoders refuse a directory with more entries. */
const mostEntries = 4_096;

/**
 * The integers in the first directory by their tags, as unsigned numbers; of several values only the first, and of a
 * repeated tag the largest.
 */
export function tiffIntegers(bytes: Buffer): ReadonlyMap<number, number> {
  const { read, countSize, entrySize, offsetSize, first } = openTiff(bytes);
  const found = new Map<number, number>();
  for (let i = 0; i < Math.min(read(first, countSize), mostEntries); i += 1) {
    const at = first + countSize + i * entrySize;
    const [tag, length] = [read(at, 2), integers[read(at + 2, 2)]];
    if (length === undefined) continue;
    const value = at + 4 + offsetSize;
    // Values that do not fit into the entry are stored elsewhere.
    const isElsewhere = read(at + 4, offsetSize) * length > offsetSize;
    const number = read(isElsewhere ? read(value, offsetSize) : value, length);
    found.set(tag, Math.max(number, found.get(tag) ?? 0));
  }
  return found;
}
