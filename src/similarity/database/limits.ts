import type { Placement } from '../index/search-index.ts';

/** In mode `database`, a tenant with fewer images has no index: they fit on one page, which is read just as fast. */
const fewestImages = 10_000;

/** Every write checks the conditions of all vector indexes, so only this many of the largest tenants get one. */
export const mostVectorIndexes = 100;

/** The number of images at which a tenant gets indexes in the database. */
export function fromImages({ mode, databaseFrom }: Placement): number {
  return mode === 'database' ? fewestImages : databaseFrom;
}
