/**
 * How an index lays out its rows in shared memory: in blocks of 512 rows, each column by column, so that a kernel
 * reads one column of one block without gaps.
 */

export const rowsPerBlock = 512;
export const pdqBytes = 32;
/** Quality of a row without hashes. */
export const noHashes = 255;

export type Layout = Readonly<{
  regionCount: number;
  /** Bytes of a vector, a multiple of 16. */
  dimensions: number;
  /** Offsets of a block's columns, and its size. `norms` are lengths of vectors (f32), 0 if there is none. */
  pdq: number;
  regions: number;
  vectors: number;
  norms: number;
  quality: number;
  blockBytes: number;
}>;

/** The layout for vectors of this many dimensions. */
export function layoutOf(regionCount: number, dimensions: number): Layout {
  if (dimensions % 16 !== 0) throw new RangeError('vectors have a multiple of 16 dimensions');
  const regions = rowsPerBlock * pdqBytes;
  const vectors = regions + rowsPerBlock * regionCount * 8;
  const norms = vectors + rowsPerBlock * dimensions;
  const quality = norms + rowsPerBlock * 4;
  return { regionCount, dimensions, pdq: 0, regions, vectors, norms, quality, blockBytes: quality + rowsPerBlock };
}
