import type { Problem } from '../../src/lib/http-contract.ts';
import { didYouMean, suggest } from '../../src/lib/suggest.ts';
import type { Parameter } from '../endpoints/endpoint.ts';
import type { ValueType } from '../endpoints/types.ts';

/** Maximum length of a name or value in a hint. */
const maxLength = 60;
/** Maximum number of unknown names that are compared with known ones, which takes some tens of microseconds each. */
const maxCompared = 50;
/** Maximum number of hints, which share a header. */
const maxHints = 5;
/** With fewer letters in common, a resemblance means nothing. */
const minShared = 3;

/**
 * Says what an unknown (and ignored) parameter, or an invalid value of a closed list, was probably meant to be; null
 * if nothing comes close.
 */
type TypoHint = (query: URLSearchParams, faults: readonly Problem[]) => string | null;

/**
 * Creates the hint for mistyped names and values. It goes into a header, because the replies are fixed: an unknown
 * name is ignored, and for a wrong value the whole list is returned.
 */
export function createTypoHint(parameters: readonly Parameter[]): TypoHint {
  const inQuery = parameters.filter(({ in: place }) => place === 'query');
  const values = new Map(inQuery.map(({ name, type }) => [name, valuesOf(type)]));
  const names = [...values.keys()];
  return (query, faults) => {
    const hints = new Set<string>();
    for (const { type, loc, input } of faults) {
      if (type === 'enum' && loc[0] === 'query')
        addHint(hints, `'${shown(input)}'`, input, values.get(loc[1] ?? '') ?? []);
    }
    const unknown = [...new Set(query.keys())].filter((name) => !values.has(name));
    for (const name of unknown.slice(0, maxCompared)) {
      addHint(hints, `'${shown(name)}' is not a parameter`, name, names);
    }
    return hints.size === 0 ? null : [...hints].slice(0, maxHints).join(' ');
  };
}

function valuesOf(type: ValueType): readonly string[] {
  if (type.kind === 'list') return valuesOf(type.of);
  return type.kind === 'enum' ? [...type.values, ...(type.also ?? [])].filter((value) => value !== '') : [];
}

function addHint(hints: Set<string>, subject: string, sent: unknown, known: readonly string[]): void {
  const meant = nearest(String(sent), known);
  if (meant.length > 0) hints.add(`${subject}: ${didYouMean(meant, '')}`);
}

/**
 * The known words closest to one: those that differ in case or by an edit or two, else those with the same beginning.
 */
function nearest(sent: string, known: readonly string[]): readonly string[] {
  // GraphQL spelling: `sortBy` is `sort_by`.
  const word = sent
    .slice(0, maxLength)
    .replace(/(?<=[a-z])[A-Z]/g, '_$&')
    .toLowerCase();
  // For a name such as `_`, nothing is left after one edit.
  const similar = word.length < minShared ? known.filter((name) => name === word) : suggest(word, known);
  return similar.length > 0 ? similar : known.filter((name) => beginAlike(word, name.replace(/s$/, ''))).slice(0, 3);
}

function beginAlike(a: string, b: string): boolean {
  return Math.min(a.length, b.length) >= minShared && (a.startsWith(b) || b.startsWith(a));
}

/** Drops characters that a header must not contain. */
function shown(sent: unknown): string {
  return String(sent)
    .slice(0, maxLength)
    .toWellFormed()
    .replace(/[^ -~]|["\\]/gu, encodeURIComponent);
}
