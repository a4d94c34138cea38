import { tick, untrack } from 'svelte';
import { graphql, isAbort } from '../api/graphql.ts';
import {
  ImageFacets,
  ImageFacetValues,
  ImageHistograms,
  VideoFacets,
  VideoFacetValues,
  VideoHistograms,
} from '../api/documents.ts';
import type {
  CountedFragment,
  ImageFacetsQueryVariables,
  ImageFacetValuesQueryVariables,
  ImageHistogramsQuery,
  VideoFacetsQueryVariables,
  VideoFacetValuesQueryVariables,
} from '../api/documents.ts';
import { choicesOf, withChoices } from '../search/formula.ts';
import type { Choice } from '../search/formula.ts';
import { draft } from '../state/draft.svelte.ts';
import { catalogFields } from '../state/fields.svelte.ts';
import { results } from '../state/results.svelte.ts';
import { go, route } from '../state/route.svelte.ts';

export type ValueCount = CountedFragment['values'][number];
type Histograms = ImageHistogramsQuery['images'];

const nothing: Histograms = { years: [], colors: [] };

let facets = $state.raw<readonly CountedFragment[]>([]);
let histograms = $state.raw<Histograms>(nothing);
let isBusy = $state(false);
/** The kind of records that was counted. */
let countedKind = route().kind;

/** The counts of the results. */
export const counted = {
  get facets(): readonly CountedFragment[] {
    return facets;
  },
  get histograms(): Histograms {
    return histograms;
  },
  get isBusy(): boolean {
    return isBusy;
  },
};

async function readFacets(q: string, fields: readonly string[], signal: AbortSignal) {
  if (route().kind === 'video') {
    const { videos } = await graphql(VideoFacets, { q, fields } as VideoFacetsQueryVariables, signal);
    return videos.facets;
  }
  return (await graphql(ImageFacets, { q, fields } as ImageFacetsQueryVariables, signal)).images.facets;
}

async function readHistograms(q: string, signal: AbortSignal): Promise<Histograms> {
  if (route().kind === 'video') return (await graphql(VideoHistograms, { q }, signal)).videos;
  return (await graphql(ImageHistograms, { q }, signal)).images;
}

/** Head start of the pictures on the first page, in milliseconds: counting takes much longer than finding them. */
const picturesFirstMs = 200;

/** Resolves once the first results are available and their pictures have had a head start. */
async function picturesFirst(signal: AbortSignal): Promise<void> {
  await tick(); // In the meantime, the results of the same search are requested.
  await results.firstPage;
  await new Promise((resolve) => setTimeout(resolve, picturesFirstMs));
  signal.throwIfAborted();
}

/** Counts again whenever the search changes. The previous counts stay until then. */
export function keepFacets(): void {
  const q = $derived(route().q);
  $effect(() => {
    const asked = q;
    void results.revision; // After a write, the counts may differ.
    const fields = catalogFields().filter(({ isFacet }) => isFacet);
    if (route().kind !== countedKind) [facets, histograms] = [[], nothing];
    countedKind = route().kind;
    if (fields.length === 0) return;
    const stop = new AbortController();
    isBusy = true;
    const names = fields.map(({ name }) => name);
    const read = async () => {
      await picturesFirst(stop.signal);
      return Promise.all([readFacets(asked, names, stop.signal), readHistograms(asked, stop.signal)]);
    };
    untrack(read).then(
      ([found, distributions]) => {
        [facets, histograms] = [found, distributions];
        isBusy = false;
      },
      (error: unknown) => {
        if (isAbort(error)) return;
        // The counts of another search would be misleading.
        [facets, histograms] = [[], nothing];
        isBusy = false;
      },
    );
    return () => stop.abort();
  });
}

/** Values of a facet that begin with a text. */
export async function findValues(field: string, text: string, signal: AbortSignal): Promise<readonly ValueCount[]> {
  const { kind, q } = route();
  const asked = withChoices(q, field, new Map(), isWhole(field));
  if (kind === 'video') {
    const variables = { q: asked, field, text } as VideoFacetValuesQueryVariables;
    return (await graphql(VideoFacetValues, variables, signal)).videoFacetValues;
  }
  const variables = { q: asked, field, text } as ImageFacetValuesQueryVariables;
  return (await graphql(ImageFacetValues, variables, signal)).facetValues;
}

/** Whether a value must match as a whole; otherwise individual words of a text would match. */
function isWhole(field: string): boolean {
  return catalogFields().find(({ name }) => name === field)?.kind === 'text';
}

/** A value as formulas write it. */
export function keyOf(value: ValueCount['value']): string | null {
  return value === null ? null : String(value);
}

/** The values of a field that the search asks for or excludes. */
export function chosen(field: string): ReadonlyMap<string | null, Choice> {
  return choicesOf(route().q, field);
}

/** The formula that a choice is added to: the text in the search box, even if it was not submitted. */
const written = () => draft.q.trim();

/** Includes or excludes a value; doing so again removes the choice. */
export function toggle(field: string, value: string | null, choice: Choice): void {
  const choices = new Map(chosen(field));
  if (choices.get(value) === choice) choices.delete(value);
  else choices.set(value, choice);
  // A record without a value cannot also have one.
  if (value === null) for (const other of choices.keys()) if (other !== null && choice === 'in') choices.delete(other);
  if (value !== null && choice === 'in' && choices.get(null) === 'in') choices.delete(null);
  go({ q: withChoices(written(), field, choices, isWhole(field)) });
}

/** Selects one value of a field instead of all others; null for none. */
export function setOnly(field: string, value: string | null): void {
  const choices = new Map<string | null, Choice>(value === null ? [] : [[value, 'in']]);
  go({ q: withChoices(written(), field, choices, isWhole(field)) });
}

/** Removes all choices made here; typed words stay. */
export function clearAll(): void {
  const fields = [
    ...catalogFields()
      .filter(({ isFacet }) => isFacet)
      .map(({ name }) => name),
    'date',
    'color',
  ];
  go({ q: fields.reduce((q, field) => withChoices(q, field, new Map(), isWhole(field)), written()) });
}

/** Whether anything is chosen. */
export function isAnyChosen(): boolean {
  return [...facets.map(({ name }) => name), 'date', 'color'].some((field) => chosen(field).size > 0);
}
