import { tenantStatement } from '../tenants/index.ts';
import { chunkSize, leaseSeconds } from './limits.ts';

/** Operation, payload, first event and entry of the audit trail in one statement, so in one transaction. */
export const acceptOperation = tenantStatement(
  'accept-operation',
  `WITH accepted AS (
     INSERT INTO operation (tenant_id, api_key_id, kind, method, resource, num_total, do_wait, do_urgent, do_strict, lang)
     VALUES ($1, $2, $3, $4::operation_method, $5::operation_resource, $6, $7, $8, $9, $10::language)
     RETURNING id
   ), payload AS (
     INSERT INTO operation_chunk (operation_id, number, tenant_id, first_position, elements)
     SELECT accepted.id, chunk.number - 1, $1, (chunk.number - 1) * ${chunkSize}, chunk.elements
     FROM accepted, json_array_elements($11::json) WITH ORDINALITY AS chunk(elements, number)
   ), event AS (
     INSERT INTO operation_event (operation_id, sequence, tenant_id, type, data)
     SELECT id, 1, $1, 'queued', jsonb_build_object('num_total', $6::int) FROM accepted
   ), trail AS (
     INSERT INTO audit (tenant_id, api_key_id, key_prefix, action, subject, operation_id, request_id, address)
     SELECT $1, $2, (SELECT prefix FROM api_key WHERE tenant_id = $1 AND id = $2), 'operation.accepted', $3, id, $12, $13
     FROM accepted
   )
   SELECT id FROM accepted`,
);

export const takeTurn = tenantStatement(
  'take-turn',
  `INSERT INTO tenant_turn AS t (tenant_id, holder, expires_at)
   VALUES ($1, $2, now() + interval '${leaseSeconds} s')
   ON CONFLICT (tenant_id) DO UPDATE SET holder = EXCLUDED.holder, expires_at = EXCLUDED.expires_at
     WHERE t.tenant_id = $1 AND t.expires_at < now()
   RETURNING tenant_id`,
);

/** Also the fence: inside a transaction it fails, and so keeps out, a worker that lost its turn. */
export const renewTurn = tenantStatement(
  'renew-turn',
  `UPDATE tenant_turn SET expires_at = now() + interval '${leaseSeconds} s'
   WHERE tenant_id = $1 AND holder = $2`,
);

export const endTurn = tenantStatement('end-turn', 'DELETE FROM tenant_turn WHERE tenant_id = $1 AND holder = $2');

/** What has begun goes on; then urgent ones; then the order of arrival. */
export const nextOperation = tenantStatement(
  'next-operation',
  `SELECT id, kind, state, num_total AS "numTotal", do_strict AS "doStrict", lang
   FROM operation WHERE tenant_id = $1 AND state <> 'finished'
   ORDER BY (state = 'queued'), do_urgent DESC, id LIMIT 1`,
);

export const beginOperation = tenantStatement(
  'begin-operation',
  `WITH begun AS (
     UPDATE operation SET state = 'running', started_at = now()
     WHERE tenant_id = $1 AND id = $2 AND state = 'queued' RETURNING id
   )
   INSERT INTO operation_event (operation_id, sequence, tenant_id, type, data)
   SELECT id, 2, $1, 'started', '{}' FROM begun
   RETURNING operation_id AS id, pg_notify('vitrine_operation', operation_id || ':started')`,
);

export const nextChunks = tenantStatement(
  'next-chunks',
  `SELECT number, first_position AS "firstPosition", elements FROM operation_chunk
   WHERE tenant_id = $1 AND operation_id = $2 AND number > $3 AND applied_at IS NULL
   ORDER BY number LIMIT $4`,
);

export const lockOperation = tenantStatement(
  'lock-operation',
  `SELECT state, (SELECT max_images FROM tenant WHERE id = $1) AS "maxImages"
   FROM operation WHERE tenant_id = $1 AND id = $2 FOR UPDATE`,
);

/** Counters, errors and the mark of the chunk, in the transaction that wrote its records. */
export const recordChunk = tenantStatement(
  'record-chunk',
  `WITH chunk AS (
     UPDATE operation_chunk SET applied_at = now()
     WHERE tenant_id = $1 AND operation_id = $2 AND number = ANY($3::int[]) AND applied_at IS NULL
     RETURNING number
   ), counted AS (
     UPDATE operation SET num_good = num_good + $4, num_bad = num_bad + $5, num_created = num_created + $6
     WHERE tenant_id = $1 AND id = $2 AND EXISTS (SELECT FROM chunk)
     RETURNING num_good, num_bad, num_total
   ), faults AS (
     INSERT INTO operation_error (operation_id, position, tenant_id, ref, code, field, message)
     SELECT $2, e.position, $1, e.ref, e.code, e.field, e.message
     FROM json_to_recordset($7::json) AS e(position int, ref text, code text, field text, message text)
     WHERE EXISTS (SELECT FROM chunk)
   ), event AS (
     INSERT INTO operation_event (operation_id, sequence, tenant_id, type, data)
     SELECT $2, (SELECT max(sequence) + 1 FROM operation_event WHERE tenant_id = $1 AND operation_id = $2), $1,
            'progress', jsonb_build_object('num_good', num_good, 'num_bad', num_bad, 'num_total', num_total)
     FROM counted
     RETURNING pg_notify('vitrine_operation', operation_id || ':progress')
   )
   SELECT (SELECT count(*) FROM chunk)::int AS applied, EXISTS (
     SELECT FROM operation_chunk
     WHERE tenant_id = $1 AND operation_id = $2 AND applied_at IS NULL AND number <> ALL($3::int[])
   ) AS "hasMore"`,
);

export const finishOperation = tenantStatement(
  'finish-operation',
  `WITH finished AS (
     UPDATE operation SET state = 'finished', finished_at = now(), is_aborted = $3
     WHERE tenant_id = $1 AND id = $2 AND state <> 'finished'
     RETURNING id, num_good, num_bad, num_total
   ), payload AS (
     DELETE FROM operation_chunk WHERE tenant_id = $1 AND operation_id IN (SELECT id FROM finished)
   ), event AS (
     INSERT INTO operation_event (operation_id, sequence, tenant_id, type, data)
     SELECT id, (SELECT max(sequence) + 1 FROM operation_event WHERE tenant_id = $1 AND operation_id = $2), $1,
            CASE WHEN $3 THEN 'aborted' ELSE 'finished' END,
            jsonb_build_object('num_good', num_good, 'num_bad', num_bad, 'num_total', num_total)
     FROM finished
   )
   SELECT pg_notify('vitrine_operation', id || ':finished') FROM finished`,
);

/** A queued operation ends at once; a running one is asked to stop. */
export const askToAbort = tenantStatement(
  'ask-to-abort',
  `UPDATE operation SET state = 'aborting'
   WHERE tenant_id = $1 AND id = $2 AND state = 'running'
   RETURNING pg_notify('vitrine_operation', id || ':aborting')`,
);

export const operationState = tenantStatement(
  'operation-state',
  'SELECT state FROM operation WHERE tenant_id = $1 AND id = $2',
);

/** The logs of several operations, each after a sequence number of its own. */
export const operationEvents = tenantStatement(
  'operation-events',
  `SELECT e.operation_id AS "operationId", asked.after AS asked, e.sequence, e.at, e.type, e.data
   FROM unnest($2::bigint[], $3::int[]) AS asked(id, after)
   JOIN operation_event e ON e.tenant_id = $1 AND e.operation_id = asked.id AND e.sequence > asked.after
   ORDER BY e.operation_id, e.sequence`,
);
