import { tenantStatement } from '../tenants/index.ts';

const columns = `id, url, kinds, formulas, digest_minutes AS "digestMinutes", is_enabled AS "isEnabled",
  consecutive_failures AS "consecutiveFailures", failing_since AS "failingSince", last_delivered_at AS "lastDeliveredAt",
  switched_off_at AS "switchedOffAt", former_until AS "formerUntil", created_at AS "createdAt", updated_at AS "updatedAt",
  (SELECT count(*) FROM webhook_delivery d WHERE d.tenant_id = $1 AND d.webhook_id = webhook.id AND d.state = 'pending')::int AS pending,
  (SELECT count(*) FROM webhook_delivery d WHERE d.tenant_id = $1 AND d.webhook_id = webhook.id AND d.state = 'dead')::int AS dead`;

export const listEndpoints = tenantStatement(
  'list-webhooks',
  `SELECT ${columns} FROM webhook WHERE tenant_id = $1 ORDER BY id LIMIT $2 OFFSET $3`,
);

export const countEndpoints = tenantStatement(
  'count-webhooks',
  'SELECT count(*)::int AS count FROM webhook WHERE tenant_id = $1',
);

export const endpointById = tenantStatement(
  'webhook-by-id',
  `SELECT ${columns} FROM webhook WHERE tenant_id = $1 AND id = $2`,
);

/**
 * A new endpoint starts with the next notification. The lock keeps the number of endpoints from changing until the
 * transaction ends.
 */
export const lockEndpoints = tenantStatement(
  'lock-webhooks',
  `SELECT pg_advisory_xact_lock(hashtext('webhook'), t.id) FROM tenant t WHERE t.id = $1`,
);

/** Names of formulas that neither the tenant has nor the endpoint ($3) lists. */
export const unknownFormulas = tenantStatement(
  'unknown-formulas-of-webhook',
  `SELECT each.name FROM unnest($2::text[]) WITH ORDINALITY AS each(name, place)
   WHERE NOT EXISTS (SELECT FROM saved_formula s WHERE s.tenant_id = $1 AND s.name = each.name)
     AND NOT EXISTS (SELECT FROM webhook w WHERE w.tenant_id = $1 AND w.id = $3 AND each.name = ANY (w.formulas))
   ORDER BY each.place LIMIT 1`,
);

export const insertEndpoint = tenantStatement(
  'insert-webhook',
  `INSERT INTO webhook (tenant_id, url, kinds, formulas, digest_minutes, secret, read_to)
   SELECT $1, $2, $3::text[], $4::text[], $5::int, $6, COALESCE((SELECT last_number FROM notification_counter WHERE tenant_id = $1), 0)
   RETURNING id`,
);

/** A null leaves a column as it is; 0 minutes ends digests. Enabling an endpoint again clears its failures. */
export const updateEndpoint = tenantStatement(
  'update-webhook',
  `UPDATE webhook SET url = COALESCE($3, url), kinds = COALESCE($4::text[], kinds), formulas = COALESCE($5::text[], formulas),
     digest_minutes = CASE WHEN $6::int IS NULL THEN digest_minutes ELSE NULLIF($6, 0) END,
     digest_at = CASE WHEN $6::int IS NULL THEN digest_at ELSE now() END,
     is_enabled = COALESCE($7, is_enabled),
     consecutive_failures = CASE WHEN $7 THEN 0 ELSE consecutive_failures END,
     failing_since = CASE WHEN $7 THEN NULL ELSE failing_since END,
     paused_until = CASE WHEN $7 OR $3 IS NOT NULL THEN NULL ELSE paused_until END,
     switched_off_at = CASE WHEN $7 THEN NULL ELSE switched_off_at END, updated_at = now()
   WHERE tenant_id = $1 AND id = $2 RETURNING id, pg_notify('vitrine_notification', tenant_id::text)`,
);

export const deleteEndpoint = tenantStatement(
  'delete-webhook',
  'DELETE FROM webhook WHERE tenant_id = $1 AND id = $2 RETURNING id',
);

/** The former secret keeps signing for $4 seconds. */
export const rotateSecret = tenantStatement(
  'rotate-webhook-secret',
  `UPDATE webhook SET former_secret = CASE WHEN $4 > 0 THEN secret END,
     former_until = CASE WHEN $4 > 0 THEN now() + make_interval(secs => $4::int) END, secret = $3, updated_at = now()
   WHERE tenant_id = $1 AND id = $2 RETURNING id`,
);
