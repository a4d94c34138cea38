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

/** Length in bytes of each type of unsigned integer in a directory, by the number of the type. */
export const tiffIntegers: Readonly<Record<number, number>> = { 1: 1, 3: 2, 4: 4, 16: 8 };
