import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Database, Notifications, Statement } from '../backing/index.ts';
import type { Viewer } from './viewer.ts';

/** A revoked key is refused after this long even where the notification of it was missed. */
const cacheMs = 900;
const cachedKeys = 10_000;
/** How often "last used" is written, at most, per key and process. */
const touchMs = 60_000;

const findKey: Statement = {
  name: 'find-key',
  text: `SELECT k.id AS "keyId", k.name AS "keyName", k.prefix AS "keyPrefix", k.role,
                k.expires_at AS "expiresAt", t.id AS "tenantId", t.name AS "tenantName",
                t.search_verify AS "searchVerify"
         FROM api_key k JOIN tenant t ON t.id = k.tenant_id
         WHERE k.hash = $1 AND k.revoked_at IS NULL`,
};

export type Authenticator = Readonly<{
  /** The viewer of an API key, or null when it is unknown, revoked or expired. */
  authenticate(secret: string): Promise<Viewer | null> | Viewer | null;
}>;

/**
 * Looks keys up by their SHA-256, so no comparison of secrets takes time that depends on them, and
 * keeps what it found for under a second.
 */
export function createAuthenticator({ pool }: Database, notifications: Notifications): Authenticator {
  const cache = new LRUCache<string, { viewer: Viewer | null }>({ max: cachedKeys, ttl: cacheMs });
  const touched = new LRUCache<number, true>({ max: cachedKeys, ttl: touchMs });
  notifications.on('vitrine_access', (digest) => cache.delete(digest));

  async function look(digest: string): Promise<Viewer | null> {
    const { rows } = await pool.query<Viewer>({ ...findKey, values: [Buffer.from(digest, 'hex')] });
    const viewer = rows[0] ?? null;
    cache.set(digest, { viewer });
    return viewer;
  }

  function accept(viewer: Viewer | null): Viewer | null {
    if (viewer === null || (viewer.expiresAt !== null && viewer.expiresAt.getTime() <= Date.now())) return null;
    if (!touched.has(viewer.keyId)) {
      touched.set(viewer.keyId, true);
      const touch = 'UPDATE api_key SET last_used_at = now() WHERE id = $1';
      pool.query(touch, [viewer.keyId]).catch(() => touched.delete(viewer.keyId));
    }
    return viewer;
  }

  return {
    authenticate(secret) {
      const digest = hash('sha256', secret, 'hex');
      const known = cache.get(digest);
      return known === undefined ? look(digest).then(accept) : accept(known.viewer);
    },
  };
}
