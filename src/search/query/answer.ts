import type { TenantDb } from '../../tenants/index.ts';
import { countRecords } from './count.ts';
import { countByMeilisearch, facetsByMeilisearch } from '../meilisearch/count.ts';
import { meilisearchOr } from '../meilisearch/backend.ts';
import type { SearchRoute } from '../meilisearch/backend.ts';
import { listByMeilisearch } from '../meilisearch/list.ts';
import { countFacets } from './facets.ts';
import type { Facet, FacetMode } from './facets.ts';
import { listRecords } from './list-records.ts';
import type { ListOptions } from './compose-page.ts';
import type { RecordPage } from './list-records.ts';
import type { SearchQuery } from './search-query.ts';

/** Returns a page, from Meilisearch if that gives the same result as PostgreSQL. */
export async function answerList(
  db: TenantDb,
  searchQuery: SearchQuery,
  options: ListOptions,
  route?: SearchRoute,
): Promise<RecordPage> {
  return meilisearchOr(
    route,
    'results',
    async (meilisearch) => {
      const results = await listByMeilisearch(db, meilisearch, searchQuery, options);
      return typeof results === 'string' ? results : { results, cursor: null, searchQuery };
    },
    // With Meilisearch, the count takes its own route.
    () => listRecords(db, searchQuery, route === undefined ? options : { ...options, withCount: false }),
  );
}

/** Returns the exact number of matching records. */
export async function answerCount(db: TenantDb, searchQuery: SearchQuery, route?: SearchRoute): Promise<number> {
  return meilisearchOr(
    route,
    'count',
    (meilisearch) => countByMeilisearch(db, meilisearch, searchQuery),
    () => countRecords(db, searchQuery),
  );
}

/** Returns the values of each facet over all matching records, most frequent first. */
export async function answerFacets(
  db: TenantDb,
  searchQuery: SearchQuery,
  names: readonly string[],
  mode: FacetMode,
  route?: SearchRoute,
): Promise<Facet[]> {
  const bySql = (own: readonly string[]) => countFacets(db, searchQuery, own, mode);
  if (route === undefined) return bySql(names);
  const wanted = [...new Set(names)];
  const reported = await facetsByMeilisearch(db, route.meilisearch, searchQuery, wanted, mode);
  const found = new Map<string, Facet>();
  const left: string[] = [];
  for (const [at, name] of wanted.entries()) {
    const facet = typeof reported === 'string' ? reported : reported[at];
    if (typeof facet === 'object') {
      found.set(name, facet);
      route.report(`facets.${name}`, { backend: 'meilisearch', reason: null });
    } else {
      left.push(name);
      route.report(`facets.${name}`, { backend: 'postgresql', reason: facet ?? 'values' });
    }
  }
  for (const facet of left.length === 0 ? [] : await bySql(left)) found.set(facet.name, facet);
  return wanted.flatMap((name) => found.get(name) ?? []);
}
