import { actorColumns } from './audit.ts';
import { tenantStatement } from './for-tenant.ts';

/** Adds an audit entry for each key in `changed`, as part of the statement that changes the keys. */
const trail = (changed: string, action: string, first: number) =>
  `INSERT INTO audit (tenant_id, action, subject, ${actorColumns})
   SELECT $1, ${action}, 'key ' || id || ' (' || prefix || ')', $${first}::int, $${first + 1}, $${first + 2}, $${first + 3}
   FROM ${changed}`;

export const insertKey = tenantStatement(
  'insert-key',
  `WITH made AS (
     INSERT INTO api_key (tenant_id, name, prefix, hash, role, scopes, expires_at, is_environment)
     VALUES ($1, $2, $3, $4, $5::role, $6::text[], $7, $8) RETURNING id, prefix
   ), trail AS (${trail('made', `'key.created'`, 9)})
   SELECT id FROM made`,
);

/**
 * The notification is sent on commit. A key that is already revoked stays as it is. A key revoked by a person no
 * longer belongs to the environment, so that a start with the same value does not restore it.
 */
export const revokeKey = tenantStatement(
  'revoke-key',
  `WITH revoked AS (
     UPDATE api_key SET revoked_at = now(), is_environment = false WHERE tenant_id = $1 AND id = $2 AND revoked_at IS NULL
     RETURNING id, prefix, hash
   ), trail AS (${trail('revoked', `'key.revoked'`, 3)})
   SELECT pg_notify('vitrine_access', encode(hash, 'hex')) FROM revoked`,
);

/** Lets a revoked key belong to the environment again. */
export const keepEnvironmentKey = tenantStatement(
  'keep-environment-key',
  'UPDATE api_key SET is_environment = true WHERE tenant_id = $1 AND id = $2',
);

/** Makes the key expire after `$3` seconds, unless it does so earlier. */
export const retireKey = tenantStatement(
  'retire-key',
  `WITH retired AS (
     UPDATE api_key SET expires_at = least(expires_at, now() + make_interval(secs => $3::int))
     WHERE tenant_id = $1 AND id = $2 RETURNING id, prefix, hash
   ), trail AS (${trail('retired', `'key.rotated'`, 4)})
   SELECT pg_notify('vitrine_access', encode(hash, 'hex')) FROM retired`,
);

/** A key in the shape of Prisma's model. */
export const keyById = tenantStatement(
  'key-by-id',
  `SELECT id, tenant_id AS "tenantId", name, prefix, hash, role, scopes, expires_at AS "expiresAt",
          revoked_at AS "revokedAt", last_used_at AS "lastUsedAt", created_at AS "createdAt",
          is_environment AS "isEnvironment"
   FROM api_key WHERE tenant_id = $1 AND id = $2`,
);

/** The key to rotate; locked, so that it gets only one successor. */
export const lockKey = tenantStatement(
  'lock-key',
  `SELECT name, role, scopes, expires_at AS "expiresAt", is_environment AS "isEnvironment",
          revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) AS "isValid"
   FROM api_key WHERE tenant_id = $1 AND id = $2 FOR UPDATE`,
);
