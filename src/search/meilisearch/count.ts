import type { TenantDb } from '../../tenants/index.ts';
import type { Facet, FacetMode, FacetValue } from '../query/facets.ts';
import { facetOf, maxValues, withoutField } from '../query/facets.ts';
import type { FormulaField } from '../../catalog/index.ts';
import type { SearchQuery } from '../query/search-query.ts';
import { askIndex, askWhenKnown } from './ask.ts';
import type { MeilisearchQuery } from './ask.ts';
import { attributeOf } from './attributes.ts';
import type { BackendReason, MeilisearchBackend } from './backend.ts';
import { filterOf } from './plan.ts';
import type { MeilisearchAnswer } from './search-members.ts';
import { decodeFacet } from './tokens.ts';

/** Returns the number of matching records from Meilisearch. */
export async function countByMeilisearch(
  db: TenantDb,
  meilisearch: MeilisearchBackend,
  searchQuery: SearchQuery,
): Promise<number | BackendReason> {
  const filter = await filterOf(db, searchQuery);
  if (filter === null && searchQuery.condition !== null) return 'formula';
  const answers = await askWhenKnown(db, meilisearch, searchQuery.resource, (index) =>
    askIndex(meilisearch, index, [{ filter }]),
  );
  return typeof answers === 'string' ? answers : (answers[0]?.total ?? 0);
}

/** A facet, or why Meilisearch could not count it. */
type MeilisearchFacet = Facet | BackendReason;

/** Returns the values of facets from Meilisearch, one facet per name. */
export async function facetsByMeilisearch(
  db: TenantDb,
  meilisearch: MeilisearchBackend,
  searchQuery: SearchQuery,
  names: readonly string[],
  mode: FacetMode,
): Promise<MeilisearchFacet[] | BackendReason> {
  const fields = names.map((name) => facetOf(name, searchQuery.resource));
  const asked = await Promise.all(
    fields.map(async (field) => (mode === 'disjunctive' ? withoutField(searchQuery, field) : searchQuery)),
  );
  const queries = await searchQueriesOf(db, asked, fields);
  const distinct = [...new Set(queries)].filter((each) => each !== null);
  if (distinct.length === 0) return 'formula';
  const answers = await askWhenKnown(db, meilisearch, searchQuery.resource, (index) =>
    askIndex(meilisearch, index, distinct),
  );
  if (typeof answers === 'string') return answers;
  return fields.map((field, at): MeilisearchFacet => {
    const own = queries[at];
    const answer = own === null || own === undefined ? undefined : answers[distinct.indexOf(own)];
    return answer === undefined ? 'formula' : toFacet(field, answer);
  });
}

/** Returns the request for each facet, which facets of the same records share; null if Meilisearch cannot answer it. */
async function searchQueriesOf(
  db: TenantDb,
  asked: readonly SearchQuery[],
  fields: readonly FormulaField[],
): Promise<(MeilisearchQuery | null)[]> {
  const known = new Map<SearchQuery, MeilisearchQuery | null>();
  for (const searchQuery of new Set(asked)) {
    const filter = await filterOf(db, searchQuery);
    const own = fields.filter((_, at) => asked[at] === searchQuery).map(({ name }) => attributeOf.facet(name));
    const isExact = filter !== null || searchQuery.condition === null;
    known.set(searchQuery, isExact ? { filter, facets: ['has', ...own] } : null);
  }
  return asked.map((searchQuery) => known.get(searchQuery) ?? null);
}

/** Returns the most frequent values, including the number of records without one; ties are ordered by value. */
function toFacet(field: FormulaField, { total, facets, unlisted }: MeilisearchAnswer): MeilisearchFacet {
  const { name, kind } = field;
  const counts = facets[attributeOf.facet(name)] ?? {};
  const missing = total - (facets['has']?.[name] ?? 0);
  const values: FacetValue[] = missing > 0 ? [{ value: null, count: missing }] : [];
  for (const [token, count] of Object.entries(counts)) {
    const text = decodeFacet(token);
    if (text === null) return 'values';
    if (text !== '') values.push({ value: kind === 'boolean' ? text === 'true' : text, count });
  }
  values.sort((a, b) => b.count - a.count || compareValues(a.value, b.value));
  const shown = values.slice(0, maxValues);
  return isWhole(unlisted[attributeOf.facet(name)] ?? 0, shown) ? { name, values: shown } : 'values';
}

/** Whether no unlisted value can be as frequent as the last one shown. */
function isWhole(unlisted: number, shown: readonly FacetValue[]): boolean {
  return unlisted === 0 || unlisted < (shown.at(-1)?.count ?? 0);
}

/** Sorts like PostgreSQL: texts by their bytes, false before true, null last. */
function compareValues(a: FacetValue['value'], b: FacetValue['value']): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  if (typeof a === 'boolean') return Number(a) - Number(b);
  return Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
}
