/**
 * How the rows of an index lie in shared memory: blocks of 512 rows, in each block column by column,
 * so that a kernel goes through one column of one block without a gap.
 */

export const rowsPerBlock = 512;
export const pdqBytes = 32;
/** In place of a quality: this row has no hashes. */
export const noHashes = 255;

export type Layout = Readonly<{
  regionCount: number;
  /** Bytes of a vector, a multiple of 16. */
  dimensions: number;
  /** Where a block's columns begin, and its size. */
  pdq: number;
  regions: number;
  vectors: number;
  quality: number;
  hasVector: number;
  blockBytes: number;
}>;

/** The layout for vectors of so many dimensions. */
export function layoutOf(regionCount: number, dimensions: number): Layout {
  if (dimensions % 16 !== 0) throw new RangeError('vectors have a multiple of 16 dimensions');
  const regions = rowsPerBlock * pdqBytes;
  const vectors = regions + rowsPerBlock * regionCount * 8;
  const quality = vectors + rowsPerBlock * dimensions;
  const hasVector = quality + rowsPerBlock;
  return {
    regionCount,
    dimensions,
    pdq: 0,
    regions,
    vectors,
    quality,
    hasVector,
    blockBytes: hasVector + rowsPerBlock,
  };
}
