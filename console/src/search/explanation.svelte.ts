import { ApiError, graphql, isAbort } from '../api/graphql.ts';
import { Explain } from '../api/documents.ts';
import type { ExplainQuery } from '../api/documents.ts';
import { preferences } from '../state/preferences.svelte.ts';
import { results } from '../state/results.svelte.ts';
import { route } from '../state/route.svelte.ts';

type Explained = ExplainQuery['explainFormula'];

let formula = $state('');
let explained = $state.raw<Explained | null>(null);
let fault = $state.raw<ApiError | null>(null);

/** The service's explanation of the formula in the search box. */
export const explanation = {
  /** The formula that is explained. */
  get formula(): string {
    return formula;
  },
  get explained(): Explained | null {
    return explained;
  },
  /** The mistake in the formula, if there is one. */
  get fault(): ApiError | null {
    return fault;
  },
};

/** Pause in typing before the service is asked. */
const pauseMs = 200;

/**
 * Requests an explanation of the formula as it is typed, and again when records may have changed, because it contains
 * the number of matches.
 */
export function keepExplanation(read: () => string): void {
  const resource = $derived(route().kind);
  $effect(() => {
    const text = read();
    void results.revision;
    const variables = { q: text, resource, language: preferences.language };
    if (text.trim() === '') {
      [formula, explained, fault] = [text, null, null];
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      graphql(Explain, variables, stop.signal).then(
        ({ explainFormula }) => ([formula, explained, fault] = [text, explainFormula, null]),
        (error: unknown) => {
          if (!isAbort(error)) [formula, explained, fault] = [text, null, error instanceof ApiError ? error : null];
        },
      );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  });
}
