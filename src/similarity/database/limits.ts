import type { Placement } from '../index/search-index.ts';

/** In mode `database`, a tenant of fewer images has no index: its images are one page, which is read as fast. */
const fewestImages = 10_000;

/** Each write checks the conditions of all vector indexes, so only this many of the largest tenants have one. */
export const mostVectorIndexes = 100;

/** The number of images from which on a tenant has indexes in the database. */
export function fromImages({ mode, databaseFrom }: Placement): number {
  return mode === 'database' ? fewestImages : databaseFrom;
}
