import { graphql } from '../api/graphql.ts';
import { CountImages, CountVideos, ListImages, ListVideos, SearchImages, SearchVideos } from '../api/documents.ts';
import type { ImageTileFragment, SearchImagesQueryVariables, SearchVideosQueryVariables } from '../api/documents.ts';
import type { VideoTileFragment } from '../api/documents.ts';
import { formulaOfIds } from '../edit/formula-of-ids.ts';
import type { Route } from '../state/route.svelte.ts';
import type { FetchItem, FetchPage } from './pages.svelte.ts';

/** A record as results show it. */
export type Item = ImageTileFragment | VideoTileFragment;

/** Records per request. */
const pageSize = 60;

/** Returns the function that reads the results of a route. */
export function fetchResults({ kind, q, sort, order, view }: Route): FetchPage {
  const common = { q, limit: pageSize, sortOrder: order };
  const sortBy = sort === '' ? null : sort;
  return async (cursor, signal) => {
    if (kind === 'video') {
      const variables = { ...common, cursor, sortBy } as SearchVideosQueryVariables;
      const { videos } = await graphql(view === 'list' ? ListVideos : SearchVideos, variables, signal);
      return { items: videos.results, cursor: videos.cursor };
    }
    const variables = { ...common, cursor, sortBy } as SearchImagesQueryVariables;
    const { images } = await graphql(view === 'list' ? ListImages : SearchImages, variables, signal);
    return { items: images.results, cursor: images.cursor };
  };
}

/** Returns the function that reads one record as the results of a route show it, whether they contain it or not. */
export function fetchResult(route: Route): FetchItem {
  return async (id, signal) => {
    const { items } = await fetchResults({ ...route, q: formulaOfIds([id]), sort: '' })(null, signal);
    return items[0];
  };
}

/** The total number of records. */
export async function countResults({ kind, q }: Route, signal: AbortSignal): Promise<number> {
  if (kind === 'video') return (await graphql(CountVideos, { q }, signal)).videos.count;
  return (await graphql(CountImages, { q }, signal)).images.count;
}

/** The name of a picture, also for people who cannot see it. */
export function nameOf({ title, headline, altText, id }: Item): string {
  return title ?? headline ?? altText ?? id;
}

/** A duration in seconds as players show it. */
export function durationOf(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  const parts = hours > 0 ? [hours, minutes, whole % 60] : [minutes, whole % 60];
  return parts.map((part, at) => (at === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}
