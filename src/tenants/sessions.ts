import { hash, randomBytes } from 'node:crypto';
import type { Database } from '../backing/index.ts';
import { forTenant, tenantStatement } from './for-tenant.ts';
import type { Viewer } from './viewer.ts';

/** How long a browser stays signed in. */
export const sessionSeconds = 7 * 86_400;
/** Maximum number of sessions that a key has at the same time; signing in once more ends the oldest. */
const sessionsPerKey = 100;

/** What a generated token looks like. */
const generated = /^vs_[\w-]{43}$/;

const startSessionOf = tenantStatement(
  'start-session',
  `WITH old AS (
     SELECT hash FROM session WHERE tenant_id = $1 AND api_key_id = $2 ORDER BY created_at DESC OFFSET ${sessionsPerKey - 1}
   ), ended AS (
     DELETE FROM session s USING old WHERE s.tenant_id = $1 AND s.hash = old.hash
   )
   INSERT INTO session (tenant_id, api_key_id, hash, expires_at)
   VALUES ($1, $2, $3, now() + make_interval(secs => ${sessionSeconds}))`,
);

const endSessionOf = tenantStatement(
  'end-session',
  `WITH ended AS (DELETE FROM session WHERE tenant_id = $1 AND hash = $2 RETURNING hash)
   SELECT pg_notify('vitrine_access', encode(hash, 'hex')) FROM ended`,
);

/**
 * The credential of a browser that sends its session in place of a key. It contains a line break, which headers
 * cannot, so no `API-Key` can equal it.
 *
 * @returns undefined for a text that is not a session token
 */
export function sessionCredential(token: string): string | undefined {
  return generated.test(token) ? `session\n${token}` : undefined;
}

/**
 * Signs a browser in and returns the token that it sends from then on. The token is returned only once, and stored as
 * its SHA-256.
 */
export async function startSession(database: Database, viewer: Viewer): Promise<string> {
  const token = `vs_${randomBytes(32).toString('base64url')}`;
  await forTenant(database, viewer.tenantId).query(startSessionOf, [viewer.keyId, hashOf(token)]);
  return token;
}

/** Signs a browser out; every process notices within a second. */
export async function endSession(database: Database, viewer: Viewer, token: string): Promise<void> {
  await forTenant(database, viewer.tenantId).query(endSessionOf, [hashOf(token)]);
}

function hashOf(token: string): Buffer {
  return hash('sha256', `session\n${token}`, 'buffer');
}
