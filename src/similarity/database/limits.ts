import type { Placement } from '../index/search-index.ts';

/** With `database`, a tenant of fewer images is read as fast without an index: it is one page. */
const fewestImages = 10_000;

/** Each write looks at the conditions of all vector indexes, so the largest tenants have one. */
export const mostVectorIndexes = 100;

/** From how many images on a tenant has indexes in the database. */
export function fromImages({ mode, databaseFrom }: Placement): number {
  return mode === 'database' ? fewestImages : databaseFrom;
}
