import { graphql } from '../api/graphql.ts';
import { ImageFacetValues, VideoFacetValues } from '../api/documents.ts';
import type { ImageFacetValuesQueryVariables, VideoFacetValuesQueryVariables } from '../api/documents.ts';
import type { CatalogField } from '../state/fields.svelte.ts';
import { route } from '../state/route.svelte.ts';

const pauseMs = 150;

/**
 * Values of a field in the catalog that begin with the typed text; updated for the lifetime of the calling component.
 */
export function knownValues(field: () => CatalogField, typed: () => string): { readonly list: readonly string[] } {
  let list = $state.raw<readonly string[]>([]);
  const isCounted = $derived(field().isFacet && field().kind !== 'boolean');
  $effect(() => {
    if (!isCounted) return;
    const stop = new AbortController();
    const variables = { q: null, field: field().name, text: typed() };
    const timer = setTimeout(
      () =>
        void read(variables, stop.signal).then(
          (found) => (list = found),
          () => {},
        ),
      pauseMs,
    );
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  });
  return {
    get list() {
      return list;
    },
  };
}

async function read(variables: { q: null; field: string; text: string }, signal: AbortSignal): Promise<string[]> {
  const found =
    route().kind === 'video'
      ? (await graphql(VideoFacetValues, variables as VideoFacetValuesQueryVariables, signal)).videoFacetValues
      : (await graphql(ImageFacetValues, variables as ImageFacetValuesQueryVariables, signal)).facetValues;
  return found.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
}
