import { graphql } from '../api/graphql.ts';
import { ImageNeighbors, ImagePlace, VideoNeighbors, VideoPlace } from '../api/documents.ts';
import type { ImagePlaceQueryVariables } from '../api/documents.ts';
import { formulaOfIds } from '../edit/formula-of-ids.ts';
import { joined } from '../search/formula.ts';
import type { Route } from '../state/route.svelte.ts';

/** The ids of the results before and after a record; null where there is none. */
export type Neighbors = Readonly<{ previous: string | null; next: string | null }>;

export const noNeighbors: Neighbors = { previous: null, next: null };

/** Returns the function that finds the neighbors of a record among the results of a route, however many come before it. */
export function fetchNeighbors({ kind, q, sort, order: sortOrder }: Route) {
  const [place, neighbors] = kind === 'video' ? [VideoPlace, VideoNeighbors] : [ImagePlace, ImageNeighbors];
  const sorted = { sortOrder, sortBy: sort === '' ? null : sort } as Omit<ImagePlaceQueryVariables, 'q'>;
  return async (id: string, signal: AbortSignal): Promise<Neighbors> => {
    // The cursor of a record contains what the formula ranks it by, so the formula is asked for this record alone.
    const { found } = await graphql(
      place as typeof ImagePlace,
      { q: joined(q, [formulaOfIds([id])]), ...sorted },
      signal,
    );
    const cursor = found.edges[0]?.cursor;
    if (cursor === undefined) return noNeighbors;
    const { before, after } = await graphql(neighbors as typeof ImageNeighbors, { q, cursor, ...sorted }, signal);
    return { previous: before.nodes[0]?.id ?? null, next: after.nodes[0]?.id ?? null };
  };
}
