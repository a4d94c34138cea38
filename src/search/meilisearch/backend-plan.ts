import type { TenantDb } from '../../tenants/index.ts';
import type { SearchQuery } from '../query/search-query.ts';
import { countByMeilisearch } from './count.ts';
import type { AnsweredBy, BackendReason, MeilisearchBackend } from './backend.ts';
import { planList } from './plan.ts';

/** A part of an answer, and the backend that produces it. */
export type PlannedPart = AnsweredBy & Readonly<{ part: 'results' | 'count' }>;

const firstPage = { sortBy: '', sortOrder: 'desc', cursor: null, withCursor: false, page: 1, limit: 50 } as const;

/** Returns which backend would answer a query now: its first page in the default order, and its count. */
export async function planBackend(
  db: TenantDb,
  meilisearch: MeilisearchBackend,
  searchQuery: SearchQuery,
): Promise<PlannedPart[]> {
  const counted = await countByMeilisearch(db, meilisearch, searchQuery);
  const ofCount = typeof counted === 'string' ? counted : null;
  const plan = await planList(db, searchQuery, firstPage);
  const ofResults = typeof plan === 'string' ? plan : ofCount;
  return [toPlannedPart('results', ofResults), toPlannedPart('count', ofCount)];
}

function toPlannedPart(part: PlannedPart['part'], reason: BackendReason | null): PlannedPart {
  return { part, backend: reason === null ? 'meilisearch' : 'postgresql', reason };
}
