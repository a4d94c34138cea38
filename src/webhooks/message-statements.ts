import { tenantStatement } from '../tenants/index.ts';
import { claimSeconds, keepDeadDays, readBatch, switchOffHours, webhookLimits } from './limits.ts';

/** A notification as messages contain it. */
const dataOf = `jsonb_strip_nulls(jsonb_build_object('formula', n.formula, 'resource', n.resource, 'id', n.ref,
  'operation_id', n.operation_id)) || n.data`;
const momentOf = (at: string) => `to_char(${at} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * Turns notifications that endpoints have not read into messages, and moves their cursors, in one statement. The lock on the
 * endpoints keeps the messages of each in the order of the log. The column isBehind tells whether there is more to read.
 */
export const readLog = tenantStatement(
  'read-log-for-webhooks',
  `WITH hook AS MATERIALIZED (
     SELECT w.id, w.read_to, w.kinds, w.formulas, w.digest_minutes, c.last_number
     FROM webhook w JOIN notification_counter c ON c.tenant_id = $1
     WHERE w.tenant_id = $1 AND w.is_enabled AND w.read_to < c.last_number
       AND (w.digest_minutes IS NULL OR w.digest_at <= now())
       AND (SELECT count(*) FROM webhook_delivery d
            WHERE d.tenant_id = $1 AND d.webhook_id = w.id AND d.state = 'pending') < ${webhookLimits.pending}
     ORDER BY w.id FOR UPDATE OF w
   ), unread AS MATERIALIZED (
     SELECT hook.id AS webhook_id, n.number, n.at, n.kind, n.formula, n.resource, n.ref, n.operation_id, n.data,
            hook.digest_minutes IS NOT NULL AS is_digest,
            (hook.kinds = '{}' OR n.kind = ANY(hook.kinds))
              AND (hook.formulas = '{}' OR n.formula IS NULL OR n.formula = ANY(hook.formulas)) AS is_wanted
     FROM hook CROSS JOIN LATERAL (
       SELECT * FROM notification n WHERE n.tenant_id = $1 AND n.number > hook.read_to
       ORDER BY n.number LIMIT ${readBatch}) AS n
   ), singles AS (
     INSERT INTO webhook_delivery (tenant_id, webhook_id, subject, type, body)
     SELECT $1, n.webhook_id, COALESCE(n.resource || ':' || n.ref, 'operation:' || n.operation_id, n.kind), n.kind,
            json_build_object('type', n.kind, 'timestamp', ${momentOf('n.at')}, 'data', ${dataOf})
     FROM unread n WHERE n.is_wanted AND NOT n.is_digest ORDER BY n.webhook_id, n.number
   ), digests AS (
     INSERT INTO webhook_delivery (tenant_id, webhook_id, subject, type, body)
     SELECT $1, n.webhook_id, 'digest', 'digest', json_build_object('type', 'digest', 'timestamp', ${momentOf('now()')},
       'data', json_build_object('notifications', json_agg(
         json_build_object('type', n.kind, 'timestamp', ${momentOf('n.at')}, 'data', ${dataOf}) ORDER BY n.number)))
     FROM unread n WHERE n.is_wanted AND n.is_digest GROUP BY n.webhook_id
     RETURNING webhook_id
   ), reached AS (
     SELECT hook.id, CASE WHEN count(n.number) < ${readBatch} THEN hook.last_number ELSE max(n.number) END AS number,
            count(n.number) = ${readBatch} AS is_behind
     FROM hook LEFT JOIN unread n ON n.webhook_id = hook.id GROUP BY hook.id, hook.last_number
   )
   UPDATE webhook w SET read_to = GREATEST(w.read_to, reached.number),
     digest_at = CASE WHEN NOT reached.is_behind AND w.id IN (SELECT webhook_id FROM digests)
       THEN now() + make_interval(mins => w.digest_minutes) ELSE w.digest_at END
   FROM reached WHERE w.tenant_id = $1 AND w.id = reached.id
   RETURNING reached.is_behind AS "isBehind"`,
);

const workerLives = 'EXISTS (SELECT FROM service_process p WHERE p.id = d.claimed_by)';
const isFree = `(d.claimed_by IS NULL OR d.claimed_until < now() OR NOT ${workerLives})`;
const isOpen = 'w.is_enabled AND (w.paused_until IS NULL OR w.paused_until <= now())';
const isDue = `d.state = 'pending' AND d.next_at <= now() AND ${isFree}`;

/** Endpoints that a message can be sent to now. */
export const dueWebhooks = tenantStatement(
  'due-webhooks',
  `SELECT w.id FROM webhook w WHERE w.tenant_id = $1 AND ${isOpen} AND EXISTS (
     SELECT FROM webhook_delivery d WHERE d.tenant_id = $1 AND d.webhook_id = w.id AND ${isDue}) ORDER BY w.id`,
);

/** The tenants with something to send or to read, no matter which process was notified. */
export const waitingTenants = `
  SELECT w.tenant_id AS "tenantId" FROM webhook w
  WHERE w.is_enabled AND (
    (${isOpen} AND EXISTS (SELECT FROM webhook_delivery d WHERE d.webhook_id = w.id AND ${isDue}))
    OR ((w.digest_minutes IS NULL OR w.digest_at <= now()) AND EXISTS (
      SELECT FROM notification_counter c WHERE c.tenant_id = w.tenant_id AND c.last_number > w.read_to)))
  GROUP BY w.tenant_id`;

/** Tenants whose notifications are sent to webhooks. */
export const tenantsWithWebhooks = 'SELECT DISTINCT tenant_id AS "tenantId" FROM webhook WHERE is_enabled';

/**
 * Claims the next message of an endpoint ($2) for a worker ($3), skipping those whose subject has an earlier
 * unfinished message. An endpoint that fails gets one at a time.
 */
export const claimMessage = tenantStatement(
  'claim-webhook-delivery',
  `WITH next AS (
     SELECT d.id FROM webhook_delivery d JOIN webhook w ON w.tenant_id = $1 AND w.id = d.webhook_id
     WHERE d.tenant_id = $1 AND d.webhook_id = $2 AND ${isOpen} AND ${isDue}
       AND NOT EXISTS (
         SELECT FROM webhook_delivery e
         WHERE e.tenant_id = $1 AND e.webhook_id = $2 AND e.subject = d.subject AND e.state = 'pending' AND e.id < d.id)
       AND (w.consecutive_failures = 0 OR NOT EXISTS (
         SELECT FROM webhook_delivery d WHERE d.tenant_id = $1 AND d.webhook_id = $2 AND d.state = 'pending'
           AND d.claimed_by IS NOT NULL AND NOT ${isFree}))
     ORDER BY d.next_at, d.id LIMIT 1 FOR UPDATE OF d SKIP LOCKED
   )
   UPDATE webhook_delivery d SET claimed_by = $3, claimed_until = now() + interval '${claimSeconds} s'
   FROM next, webhook w
   WHERE d.tenant_id = $1 AND d.id = next.id AND w.tenant_id = $1 AND w.id = d.webhook_id
   RETURNING d.id, d.message_id AS "messageId", d.type, d.body::text AS body, d.attempts, w.id AS "webhookId", w.url,
     w.secret, CASE WHEN w.former_until > now() THEN w.former_secret END AS "formerSecret"`,
);

/** The message ($2) was accepted. The row of the endpoint changes at most once a minute, or when its failures end. */
export const acceptMessage = tenantStatement(
  'accept-webhook-delivery',
  `WITH done AS (
     DELETE FROM webhook_delivery WHERE tenant_id = $1 AND id = $2 AND claimed_by = $3 RETURNING webhook_id
   )
   UPDATE webhook w SET consecutive_failures = 0, failing_since = NULL, paused_until = NULL, last_delivered_at = now()
   FROM done WHERE w.tenant_id = $1 AND w.id = done.webhook_id
     AND (w.consecutive_failures > 0 OR w.last_delivered_at IS NULL OR w.last_delivered_at < now() - interval '1 minute')`,
);

/**
 * The message ($2) was not accepted: status ($4) and error ($5). The next attempt is in $6 seconds, or never if null.
 * The endpoint is switched off if it has been failing for long, or if $7 says so.
 */
export const failMessage = tenantStatement(
  'fail-webhook-delivery',
  `WITH failed AS (
     UPDATE webhook_delivery SET attempts = attempts + 1, last_status = $4, last_error = $5, claimed_by = NULL,
       claimed_until = NULL, state = CASE WHEN $6::int IS NULL THEN 'dead' ELSE 'pending' END::webhook_delivery_state,
       next_at = now() + make_interval(secs => COALESCE($6::int, 0))
     WHERE tenant_id = $1 AND id = $2 AND claimed_by = $3 RETURNING webhook_id
   ), counted AS (
     UPDATE webhook w SET consecutive_failures = w.consecutive_failures + 1,
       failing_since = COALESCE(w.failing_since, now()),
       is_enabled = w.is_enabled AND NOT ($7 OR COALESCE(w.failing_since < now() - interval '${switchOffHours} hours', false))
     FROM failed WHERE w.tenant_id = $1 AND w.id = failed.webhook_id
     RETURNING w.id, w.url, w.consecutive_failures, w.is_enabled
   )
   SELECT id, url, consecutive_failures AS failures, is_enabled AS "isEnabled" FROM counted`,
);

/** Pauses an endpoint ($2) for $3 seconds. */
export const pauseEndpoint = tenantStatement(
  'pause-webhook',
  `UPDATE webhook SET paused_until = now() + make_interval(secs => $3::int) WHERE tenant_id = $1 AND id = $2`,
);

/** Records when an endpoint ($2) was switched off. No row means that this was already recorded. */
export const noteSwitchedOff = tenantStatement(
  'note-webhook-switched-off',
  `UPDATE webhook SET switched_off_at = now() WHERE tenant_id = $1 AND id = $2 AND NOT is_enabled AND switched_off_at IS NULL
   RETURNING id`,
);

const columns = `d.message_id AS "messageId", d.webhook_id AS "webhookId", d.type, d.state, d.attempts, d.body::text AS body,
  d.next_at AS "nextAt", d.last_status AS "lastStatus", d.last_error AS "lastError", d.created_at AS "createdAt"`;

/** Messages of an endpoint ($2) in a state ($3), oldest first. */
export const listMessages = tenantStatement(
  'list-webhook-deliveries',
  `SELECT ${columns} FROM webhook_delivery d
   WHERE d.tenant_id = $1 AND d.webhook_id = $2 AND d.state = $3::webhook_delivery_state ORDER BY d.id LIMIT $4 OFFSET $5`,
);

export const countMessages = tenantStatement(
  'count-webhook-deliveries',
  `SELECT count(*)::int AS count FROM webhook_delivery d
   WHERE d.tenant_id = $1 AND d.webhook_id = $2 AND d.state = $3::webhook_delivery_state`,
);

/** Queues dead messages of an endpoint ($2) again, with a fresh set of attempts: those in $3, or the oldest $4. */
export const replayMessages = tenantStatement(
  'replay-webhook-deliveries',
  `WITH chosen AS (
     SELECT d.id FROM webhook_delivery d
     WHERE d.tenant_id = $1 AND d.webhook_id = $2 AND d.state = 'dead' AND ($3::uuid[] IS NULL OR d.message_id = ANY($3))
     ORDER BY d.id LIMIT $4 FOR UPDATE
   ), replayed AS (
     UPDATE webhook_delivery d SET state = 'pending', attempts = 0, next_at = now()
     FROM chosen WHERE d.tenant_id = $1 AND d.id = chosen.id RETURNING d.id
   ), awake AS (
     UPDATE webhook SET paused_until = NULL WHERE tenant_id = $1 AND id = $2 AND EXISTS (SELECT FROM replayed)
   )
   SELECT count(*)::int AS count, pg_notify('vitrine_notification', $1::int::text) FROM replayed`,
);

/** A message whose only purpose is to test the endpoint. */
export const addTest = tenantStatement(
  'add-webhook-test',
  `INSERT INTO webhook_delivery (tenant_id, webhook_id, subject, type, body)
   SELECT $1, w.id, 'webhook.test', 'webhook.test', json_build_object('type', 'webhook.test',
     'timestamp', ${momentOf('now()')}, 'data', json_build_object('webhook_id', w.id))
   FROM webhook w WHERE w.tenant_id = $1 AND w.id = $2 AND w.is_enabled
     AND (SELECT count(*) FROM webhook_delivery d
          WHERE d.tenant_id = $1 AND d.webhook_id = w.id AND d.state = 'pending') < ${webhookLimits.pending}
   RETURNING message_id AS "messageId", pg_notify('vitrine_notification', $1::int::text)`,
);

/** Dead messages that are no longer kept: too old, or beyond an endpoint's maximum. */
export const expiredMessages = `
  SELECT ctid FROM (
    SELECT d.ctid, d.created_at, row_number() OVER (PARTITION BY d.webhook_id ORDER BY d.id DESC) AS place
    FROM webhook_delivery d WHERE d.state = 'dead') AS d
  WHERE created_at < now() - interval '${keepDeadDays} days' OR place > ${webhookLimits.dead}`;
