import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Database, Notifications, Statement } from '../backing/index.ts';
import { counter } from '../observability/metrics/index.ts';
import type { RateClass, Rates } from '../config/rates.ts';
import type { Journal } from './journal.ts';
import { mergeRates } from './rates.ts';
import type { Viewer } from './viewer.ts';

/** Even if the notification was lost, a revoked key is refused after this long. */
const cacheMs = 750;
const cachedKeys = 10_000;

const hits = counter('cache_lookups_total', { cache: 'keys', result: 'hit' });
const misses = counter('cache_lookups_total', { cache: 'keys', result: 'miss' });

const findKeys: Statement = {
  name: 'find-keys',
  text: `SELECT encode(c.hash, 'hex') AS digest, encode(k.hash, 'hex') AS "keyDigest", c.ends_at AS "endsAt", k.id AS "keyId", k.name AS "keyName", k.prefix AS "keyPrefix", k.role,
                COALESCE(k.scopes, '{}') AS scopes,
                k.expires_at AS "expiresAt", k.revoked_at IS NOT NULL AS "isRevoked",
                t.id AS "tenantId", t.name AS "tenantName", t.search_verify AS "searchVerify",
                t.time_zone AS "timeZone", t.max_images AS "maxImages",
                t.max_videos AS "maxVideos", t.ai_requests_day AS "aiRequestsDay",
                json_build_object('read', t.rate_read, 'write', t.rate_write, 'tag', t.rate_tag,
                                  'query_image', t.rate_query_image) AS "ownRates"
         FROM (SELECT hash, id AS key_id, NULL::timestamptz AS ends_at FROM api_key WHERE hash = ANY ($1::bytea[])
               UNION ALL SELECT hash, api_key_id, expires_at FROM session WHERE hash = ANY ($1::bytea[])) c
         JOIN api_key k ON k.id = c.key_id JOIN tenant t ON t.id = k.tenant_id`,
};

/** The key behind a credential, whether it is revoked and, for a session, when it ends. */
type Standing = Readonly<{ isRevoked: boolean; keyDigest: string; endsAt: Date | null }>;
type Row = Omit<Viewer, 'rates'> & Standing & Readonly<{ ownRates: Record<RateClass, string | null> }>;
type FoundRow = Row & Readonly<{ digest: string }>;
type Known = Standing & Readonly<{ viewer: Viewer }>;

export type Authenticator = Readonly<{
  /** The viewer of an API key or a session (`sessionCredential`); null if it is unknown, revoked or expired. */
  authenticate(secret: string): Promise<Viewer | null> | Viewer | null;
  /** Stops listening for changes. */
  close(): void;
}>;

type AuthenticatorDeps = Readonly<{
  database: Database;
  notifications: Notifications;
  journal: Journal;
  /** Default rates of tenants. */
  rates: Rates;
}>;

/**
 * Looks up keys by their SHA-256, so that no timing depends on comparing secrets, and caches the result for less than
 * a second.
 */
export function createAuthenticator({ database, notifications, journal, rates }: AuthenticatorDeps): Authenticator {
  const cache = new LRUCache<string, Known>({ max: cachedKeys, ttl: cacheMs });
  // A separate cache, so that guesses cannot evict known keys.
  const unknown = new LRUCache<string, true>({ max: cachedKeys, ttl: cacheMs });
  // Keys that were valid before are looked up separately, so that they never wait behind guesses.
  const seen = new LRUCache<string, true>({ max: cachedKeys });
  const forget = notifications.on('vitrine_access', (payload) => {
    if (payload.startsWith('tenant:')) return cache.clear();
    cache.delete(payload);
    for (const [digest, { keyDigest }] of cache.entries()) if (keyDigest === payload) cache.delete(digest);
  });

  async function findRows(digests: readonly string[]): Promise<ReadonlyMap<string, Row>> {
    const hashes = digests.map((digest) => Buffer.from(digest, 'hex'));
    const { rows } = await database.pool.query<FoundRow>({ ...findKeys, values: [hashes] });
    return new Map(rows.map(({ digest, ...row }) => [digest, row]));
  }

  /** Keys share a statement, so that even many guesses at once take only one or two connections. */
  async function lookUp(digest: string): Promise<Viewer | null> {
    // The time before the query, so that a key revoked while it runs is not cached for longer.
    const start = performance.now();
    const row = await database.batchLoad(seen.has(digest) ? 'api-keys' : 'unknown-api-keys', digest, findRows);
    if (row === undefined) {
      unknown.set(digest, true, { start });
      seen.delete(digest);
      return null;
    }
    const { isRevoked, keyDigest, endsAt, ownRates, ...own } = row;
    const known = { viewer: { ...own, rates: mergeRates(ownRates, rates) }, isRevoked, keyDigest, endsAt };
    cache.set(digest, known, { start });
    seen.set(digest, true);
    return accept(known);
  }

  function accept({ viewer, isRevoked, endsAt }: Known): Viewer | null {
    if (endsAt !== null && endsAt.getTime() <= Date.now()) return null;
    const isExpired = viewer.expiresAt !== null && viewer.expiresAt.getTime() <= Date.now();
    if (isRevoked || isExpired) {
      journal.refuse(viewer, 'access.invalid_key', isRevoked ? 'revoked' : 'expired');
      return null;
    }
    journal.use(viewer.keyId);
    return viewer;
  }

  return {
    authenticate(secret) {
      const digest = hash('sha256', secret, 'hex');
      const known = cache.get(digest);
      if (known !== undefined) {
        hits.add();
        return accept(known);
      }
      if (unknown.has(digest)) return null;
      misses.add();
      return lookUp(digest);
    },
    close: forget,
  };
}
