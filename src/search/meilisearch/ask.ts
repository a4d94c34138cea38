import type { Resource } from '../../catalog/index.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { settingsDigest } from './attributes.ts';
import type { BackendReason, KnownIndex, MeilisearchBackend } from './backend.ts';
import { findMembers } from './members.ts';
import { searchMembers } from './search-members.ts';
import type { IndexMembers, MeilisearchAnswer, MemberSearch } from './search-members.ts';

/** A request to an index: which records, in which order, and how many. */
export type MeilisearchQuery = Readonly<{
  /** Null for all. */
  filter: string | null;
  q?: string;
  sort?: readonly string[];
  facets?: readonly string[];
  /** The page of the list. Without a page, the records are counted exactly. */
  part?: Readonly<{ offset: number; limit: number }>;
}>;

/** An index, and the tenant whose records in it are requested. */
export type IndexOfTenant = IndexMembers & Readonly<{ tenantId: number }>;

/**
 * Queries an index for the records of one tenant. Every search in Meilisearch goes through here, so that the tenant
 * is always part of the filter.
 */
export async function askIndex(
  meilisearch: MeilisearchBackend,
  { tenantId, ...index }: IndexOfTenant,
  searches: readonly MeilisearchQuery[],
): Promise<MeilisearchAnswer[] | BackendReason> {
  const asked = searches.map(({ filter, q, sort, facets, part = null }): MemberSearch => ({
    filter: `tenant = ${tenantId}${filter === null ? '' : ` AND (${filter})`}`,
    attributesToRetrieve: ['id'],
    ...(q !== undefined && { q, matchingStrategy: 'all' as const }),
    ...(sort && { sort: [...sort] }),
    ...(facets && { facets: [...facets] }),
    part,
  }));
  return meilisearch.ask(() => searchMembers(index, asked));
}

/** SQL for whether the index lacks changes of the tenant; the parameters are SQL for the resource and the maximum lag. */
export function isBehind(resource: string, maxLagMs: string): string {
  return `EXISTS (SELECT FROM search_outbox
    WHERE tenant_id = $1 AND resource = ${resource} AND changed_at <= now() - ${maxLagMs}::float8 * interval '1 ms')`;
}

/** The index for the tenant's records, and whether it has all their changes. */
const place = tenantStatement(
  'meilisearch-index',
  `SELECT i.uid, i.settings, i.members, i.indexed_version AS "indexedVersion", ${isBehind('$2', '$3')} AS "isBehind" FROM search_index i WHERE i.resource = $2`,
);

type Place = Readonly<{
  uid: string | null;
  settings: string | null;
  members: readonly string[] | null;
  indexedVersion: number;
  isBehind: boolean;
}>;

/**
 * Returns the index to query, or why there is none. It contains everything written before this query, because a
 * record only leaves the outbox once Meilisearch has it.
 */
async function findIndex(
  db: TenantDb,
  { client, maxLagMs }: MeilisearchBackend,
  resource: Resource,
): Promise<KnownIndex | BackendReason> {
  const { rows } = await db.query<Place>(place, [resource, maxLagMs]);
  const [found] = rows;
  if (found === undefined || found.uid === null || found.settings !== settingsDigest[resource]) return 'filling';
  const members = findMembers(client, found.members);
  // Documents are being moved to other members, or this process knows other addresses than the indexer.
  if (members === null) return 'filling';
  return found.isBehind ? 'behind' : { uid: found.uid, members, indexedVersion: found.indexedVersion };
}

/** After this long without updates, a known index is queried before its row is checked. */
const quietMs = 1_000;

/** The answer of an index known from an earlier query; valid only if the check confirms that index. */
export type Early<T> = Readonly<{ index: KnownIndex; answer: Promise<T | BackendReason> }>;

/** Queries the index known from an earlier query, if it is probably unchanged. */
export function askEarly<T>(
  { tenantId }: TenantDb,
  { known }: MeilisearchBackend,
  resource: Resource,
  ask: (index: IndexOfTenant) => Promise<T | BackendReason>,
): Early<T> | null {
  const index = known.get(resource);
  if (index === undefined || Date.now() - index.since <= quietMs) return null;
  return { index, answer: ask({ uid: index.uid, members: index.members, tenantId }) };
}

/**
 * Queries the index of a resource if it has everything that the tenant has written. An index known from an earlier
 * query is queried while its row is being checked. If it has been updated since, it is queried again, because the
 * update may have arrived just after it answered.
 */
export async function askWhenKnown<T>(
  db: TenantDb,
  meilisearch: MeilisearchBackend,
  resource: Resource,
  ask: (index: IndexOfTenant) => Promise<T | BackendReason>,
  early: Early<T> | null = askEarly(db, meilisearch, resource, ask),
): Promise<T | BackendReason> {
  const known = early?.index ?? meilisearch.known.get(resource);
  const [found, answer] = await Promise.all([findIndex(db, meilisearch, resource), early?.answer]);
  if (typeof found === 'string') return found;
  const isSame = found.uid === known?.uid && found.indexedVersion === known.indexedVersion;
  if (!isSame) meilisearch.known.set(resource, { ...found, since: Date.now() });
  return isSame && answer !== undefined
    ? answer
    : ask({ uid: found.uid, members: found.members, tenantId: db.tenantId });
}
