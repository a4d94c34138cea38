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

/** What the service says of the formula in the search box. */
export const explanation = {
  /** The formula that it is about. */
  get formula(): string {
    return formula;
  },
  get explained(): Explained | null {
    return explained;
  },
  /** What is wrong with it. */
  get fault(): ApiError | null {
    return fault;
  },
};

/** While letters come in, nothing is asked. */
const pauseMs = 200;

/** Has each formula explained as it is written, and again when records may be others: it says how many it finds. */
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
