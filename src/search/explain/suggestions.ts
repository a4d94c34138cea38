import type { TenantDb } from '../../tenants/index.ts';
import { AppError } from '../../lib/errors.ts';
import { formatPlainValue } from '../formula/format.ts';
import { fold } from '../formula/words.ts';
import { readSearchQueryOf } from '../query/search-query.ts';
import type { SearchQuery, SearchQueryOptions } from '../query/search-query.ts';
import { maxFacetText, searchFacetValues } from '../query/facet-values.ts';
import { withinTime } from '../query/within-time.ts';
import { isCountable } from './clauses.ts';
import type { Clause } from './clauses.ts';
import { countEach } from './count-clauses.ts';
import { countryNames } from './country-names.ts';

/** A formula similar to the one that finds nothing, and how many records it finds. */
export type Suggestion = Readonly<{ formula: string; count: number }>;

/** Limits on how much is tried, and for how long, because somebody is waiting. */
const limits = { clauses: 3, values: 3, names: 8, tried: 8, milliseconds: 2_000 } as const;

type Counted = Clause & Readonly<{ count: number | null }>;

/**
 * Suggests formulas that find something in place of one that finds nothing. A value that no record has is replaced by
 * one from the catalog (a full name, or another name of the same country), and AND by OR.
 */
export async function suggestFormulas(
  db: TenantDb,
  q: string,
  clauses: readonly Counted[],
  searchQuery: SearchQuery,
  options: SearchQueryOptions,
): Promise<Suggestion[]> {
  if (clauses[0]?.count !== 0) return [];
  const tried = [...(await storedValues(db, q, clauses, searchQuery)), ...anyOf(clauses)].slice(0, limits.tried);
  const readings = await Promise.all(tried.map((formula) => read(db, formula, options)));
  const countable = readings.filter((each) => each !== null);
  const counts = await countEach(
    db,
    searchQuery,
    countable.map(({ condition }) => condition),
  );
  return (counts ?? []).flatMap((count, index) => {
    const formula = countable[index]?.formula;
    return count === 0 || formula === undefined ? [] : [{ formula, count }];
  });
}

/** Reads a formula to try; null if it cannot be counted or, for example, is longer than a formula may be. */
async function read(db: TenantDb, formula: string, options: SearchQueryOptions) {
  try {
    const { condition, answers } = await readSearchQueryOf(db, formula, options);
    return condition !== null && isCountable(condition, answers) ? { formula, condition } : null;
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_formula') return null;
    throw error;
  }
}

/** Returns the conjunction with its words joined by OR, so that one of them is enough to match. */
function anyOf(clauses: readonly Counted[]): string[] {
  const [root] = clauses;
  const parts = clauses.filter(({ parent }) => parent === 0);
  const words = parts.filter(({ condition }) => condition.kind === 'words');
  if (root?.kind !== 'and' || words.length < 2) return [];
  const others = parts.filter((part) => !words.includes(part)).map(({ text }) => text);
  const either = words.map(({ text }) => text).join(' OR ');
  return [others.length === 0 ? either : [`(${either})`, ...others].join(' ')];
}

/** Returns the formula with values that exist wherever it compares a field with one that no record has. */
async function storedValues(
  db: TenantDb,
  q: string,
  clauses: readonly Counted[],
  searchQuery: SearchQuery,
): Promise<string[]> {
  const everything: SearchQuery = { ...searchQuery, node: null, condition: null, digest: '' };
  const negated = new Set(clauses.filter(({ kind }) => kind === 'not').map(({ id }) => id));
  const found = await withinTime(db, limits.milliseconds, async (client) => {
    const formulas: string[] = [];
    const empty = clauses.filter(({ count, parent }) => count === 0 && (parent === null || !negated.has(parent)));
    for (const { condition, span } of empty
      .filter((each) => each.condition.kind === 'value')
      .slice(0, limits.clauses)) {
      if (condition.kind !== 'value' || !condition.field.facet) continue;
      const { name } = condition.field;
      const texts = [condition.text, ...(name === 'country' ? countryNames(condition.text) : [])];
      const values = new Set<string>();
      for (const text of texts.slice(0, limits.names)) {
        if (values.size >= limits.values || [...fold(text)].length > maxFacetText) break;
        const asked = { name, text, limit: limits.values };
        for (const { value } of await searchFacetValues(db, everything, asked, client)) values.add(String(value));
      }
      for (const value of [...values].slice(0, limits.values)) formulas.push(replaced(q, span, name, value));
    }
    return formulas;
  });
  return found ?? [];
}

function replaced(q: string, { start, end }: Clause['span'], field: string, value: string): string {
  const signs = [...q];
  return [...signs.slice(0, start), `${field}:${formatPlainValue(value)}`, ...signs.slice(end)].join('');
}
