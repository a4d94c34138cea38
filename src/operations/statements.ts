import { tenantStatement } from '../tenants/index.ts';
import { chunkSize, leaseSeconds } from './limits.ts';

/**
 * Sets the author of everything the rest of the transaction writes, for the history of records (see
 * prisma/functions).
 */
export function onBehalfOf(operation: string, stage: '' | ':analysis' = ''): string {
  return `set_config('vitrine.operation', concat_ws(':', ${operation}.id, COALESCE(${operation}.api_key_id::text, '')) || '${stage}', true)`;
}

/**
 * SQL that adds the element errors in JSON parameter number `parameter` to operation $2, if the part `part` of the
 * statement has rows.
 */
export function insertErrors(parameter: number, part: string): string {
  return `INSERT INTO operation_error (operation_id, position, tenant_id, ref, code, field, message)
     SELECT $2, e.position, $1, e.ref, e.code, e.field, e.message
     FROM json_to_recordset($${parameter}::json) AS e(position int, ref text, code text, field text, message text)
     WHERE EXISTS (SELECT FROM ${part})`;
}

/**
 * SQL that logs a progress event for operation $2, with the counters in part `counted`; `rarely`: at most two per
 * second.
 */
export function addProgress({ rarely }: Readonly<{ rarely: boolean }>): string {
  const recent = `SELECT FROM operation_event
       WHERE tenant_id = $1 AND operation_id = $2 AND at > now() - interval '500 ms'`;
  return `INSERT INTO operation_event (operation_id, sequence, tenant_id, type, data)
     SELECT $2, (SELECT max(sequence) + 1 FROM operation_event WHERE tenant_id = $1 AND operation_id = $2), $1,
            'progress', to_jsonb(counted) - 'id'
     FROM counted ${rarely ? `WHERE NOT EXISTS (${recent})` : ''}
     RETURNING pg_notify('vitrine_operation', operation_id || ':progress')`;
}

/** Ids of different tenants differ modulo this number: each tenant has a random remainder; see `operation_counter`. */
const places = 2 ** 20;

/**
 * Accepts operations ($2, an array) in order of arrival, each with its payload, first event and audit trail entry:
 * all in one statement and therefore in one transaction. The chunks of payloads are passed as an array ($3), with the
 * position of their operation ($4) and their number in it ($5). Nested in another JSON text, they would be parsed
 * several times; as records, a U+0000 in a text would be refused.
 */
export const acceptOperations = tenantStatement(
  'accept-operations',
  `WITH counted AS (
     UPDATE operation_counter SET last_number = last_number + json_array_length($2::json) WHERE tenant_id = $1
     RETURNING last_number - json_array_length($2::json) AS before, random_part
   ), given AS MATERIALIZED (
     SELECT (counted.before + o.number) * ${places} + counted.random_part AS id, o.*
     FROM counted, ROWS FROM (
       json_to_recordset($2::json) AS (
         api_key_id integer, kind text, method operation_method, resource operation_resource, num_total integer,
         do_wait boolean, do_urgent boolean, do_strict boolean, do_respect_locks boolean, is_dry_run boolean,
         lang language, on_duplicate text, request_id text, address text, warnings jsonb, audit_action text,
         audit_subject text)
     ) WITH ORDINALITY AS o(api_key_id, kind, method, resource, num_total, do_wait, do_urgent, do_strict,
                           do_respect_locks, is_dry_run, lang, on_duplicate, request_id, address, warnings, audit_action,
                           audit_subject, number)
   ), accepted AS (
     INSERT INTO operation
       (id, tenant_id, api_key_id, kind, method, resource, num_total, do_wait, do_urgent, do_strict, do_respect_locks,
        is_dry_run, lang, on_duplicate, warnings)
     SELECT id, $1, api_key_id, kind, method, resource, num_total, do_wait, do_urgent, do_strict, do_respect_locks,
            is_dry_run, lang, on_duplicate, warnings
     FROM given
   ), payload AS (
     INSERT INTO operation_chunk (operation_id, number, tenant_id, first_position, elements)
     SELECT given.id, chunk.number, $1, chunk.number * ${chunkSize}, chunk.elements
     FROM unnest($3::json[], $4::int[], $5::int[]) AS chunk(elements, place, number) JOIN given ON given.number = chunk.place
   ), event AS (
     INSERT INTO operation_event (operation_id, sequence, tenant_id, type, data)
     SELECT id, 1, $1, 'queued', jsonb_build_object('num_total', num_total) FROM given
   ), trail AS (
     INSERT INTO audit (tenant_id, api_key_id, key_prefix, action, subject, operation_id, request_id, address)
     SELECT $1, given.api_key_id, api_key.prefix, COALESCE(audit_action, 'operation.accepted'),
            COALESCE(audit_subject, given.kind), given.id, request_id, address
     FROM given LEFT JOIN api_key ON api_key.tenant_id = $1 AND api_key.id = given.api_key_id
   )
   SELECT id FROM given ORDER BY id`,
);

/** Takes the tenant's lease if nobody has it. A worker that is storing has its row locked, however long that takes. */
export const takeLease = tenantStatement(
  'take-lease',
  `WITH expired AS (
     SELECT FROM tenant_lease WHERE tenant_id = $1 AND expires_at < now() FOR UPDATE SKIP LOCKED
   )
   INSERT INTO tenant_lease AS t (tenant_id, lease_id, process_id, expires_at)
   SELECT $1, $2, $3, now() + interval '${leaseSeconds} s'
   WHERE EXISTS (SELECT FROM expired) OR NOT EXISTS (SELECT FROM tenant_lease WHERE tenant_id = $1)
   ON CONFLICT (tenant_id) DO UPDATE
     SET lease_id = EXCLUDED.lease_id, process_id = EXCLUDED.process_id, expires_at = EXCLUDED.expires_at
     WHERE t.tenant_id = $1 AND t.expires_at < now()
   RETURNING tenant_id`,
);

/**
 * Renews the lease and returns whether the operation ($3) must stop. No row: the lease is lost. Does not wait for a
 * transaction of this worker that is storing: that one renews the lease itself.
 */
export const readLease = tenantStatement(
  'check-lease',
  `WITH free AS (
     SELECT tenant_id FROM tenant_lease WHERE tenant_id = $1 AND lease_id = $2 FOR UPDATE SKIP LOCKED
   ), renewed AS (
     UPDATE tenant_lease l SET expires_at = now() + interval '${leaseSeconds} s'
     FROM free WHERE l.tenant_id = $1 AND l.tenant_id = free.tenant_id
   )
   SELECT EXISTS (
     SELECT FROM operation WHERE tenant_id = $1 AND id = $3 AND state = 'aborting'
   ) AS "isAborting"
   FROM tenant_lease WHERE tenant_id = $1 AND lease_id = $2`,
);

export const endLease = tenantStatement('end-lease', 'DELETE FROM tenant_lease WHERE tenant_id = $1 AND lease_id = $2');

/** The first of the tenant's operations in these states. Written so that an index is used: very many may be waiting. */
const firstOf = (states: string) =>
  `(SELECT * FROM operation WHERE tenant_id = $1 AND state IN (${states}) ORDER BY do_urgent DESC, id LIMIT 1)`;

/** The faults of an operation since it last stored something, and the seconds since the first of them. */
const faultsSoFar = `num_faults AS "numFaults", COALESCE(extract(epoch FROM now() - first_fault_at), 0)::float8 AS "faultySeconds"`;

/** Started operations first, then urgent ones, then by order of arrival. */
export const nextOperation = tenantStatement(
  'next-operation',
  `SELECT id, kind, state, num_total AS "numTotal", do_strict AS "doStrict",
          do_respect_locks AS "doRespectLocks", is_dry_run AS "isDryRun", lang,
          COALESCE(on_duplicate, (SELECT t.on_duplicate FROM tenant t WHERE t.id = $1)) AS "onDuplicate",
          ${faultsSoFar}, extract(epoch FROM now() - created_at)::float8 AS "waitedSeconds"
   FROM (${firstOf(`'running', 'aborting'`)} UNION ALL ${firstOf(`'queued'`)}) AS first
   ORDER BY (state = 'queued') LIMIT 1`,
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

/** Counts a fault of an operation. */
export const noteFault = tenantStatement(
  'note-operation-fault',
  `UPDATE operation SET num_faults = num_faults + 1, first_fault_at = COALESCE(first_fault_at, now())
   WHERE tenant_id = $1 AND id = $2 RETURNING ${faultsSoFar}`,
);

/** For data that must survive a crash of the process but not of the database: the commit does not wait for the disk. */
const withoutFlush = `set_config('synchronous_commit', 'off', true)`;

/**
 * Reads the next chunk and marks it as begun by this process ($4). If a process that has died had begun it, `deaths`
 * is not null, and the death count of the element that it was trying goes up by one. `elements` is null for chunks
 * whose number is in $5.
 */
export const beginNextChunk = tenantStatement(
  'begin-next-chunk',
  `WITH next AS (
     SELECT number, first_position, elements, begun_by, trying, deaths,
            begun_by <> $4 AND NOT EXISTS (SELECT FROM service_process p WHERE p.id = begun_by) AS has_died
     FROM operation_chunk
     WHERE tenant_id = $1 AND operation_id = $2 AND number > $3 AND applied_at IS NULL
     ORDER BY number LIMIT 1
   ), judged AS (
     SELECT *, CASE
       WHEN has_died AND trying IS NOT NULL THEN coalesce(deaths, '{}')
         || jsonb_build_object(trying, coalesce((deaths ->> trying::text)::int, 0) + 1)
       WHEN has_died THEN coalesce(deaths, '{}')
       ELSE deaths END AS deaths_now
     FROM next
   ), begun AS (
     UPDATE operation_chunk c SET begun_by = $4, trying = NULL, deaths = judged.deaths_now
     FROM judged
     WHERE c.tenant_id = $1 AND c.operation_id = $2 AND c.number = judged.number
       AND (c.begun_by IS DISTINCT FROM $4 OR c.trying IS NOT NULL)
   )
   SELECT number, first_position AS "firstPosition", CASE WHEN number = ANY ($5::int[]) THEN NULL ELSE elements END AS elements,
          deaths_now AS deaths, ${withoutFlush} FROM judged`,
);

/** Marks the element that is being tried ($4; null for none), if this worker still has the lease ($5). */
export const markElement = tenantStatement(
  'mark-element',
  `UPDATE operation_chunk SET trying = $4
   WHERE tenant_id = $1 AND operation_id = $2 AND number = $3
     AND EXISTS (SELECT FROM tenant_lease t WHERE t.tenant_id = $1 AND t.lease_id = $5)
   RETURNING ${withoutFlush}`,
);

export const finishOperation = tenantStatement(
  'finish-operation',
  `WITH finished AS (
     UPDATE operation SET state = 'finished', finished_at = now(), is_aborted = $3
     WHERE tenant_id = $1 AND id = $2 AND state <> 'finished'
     RETURNING id, kind, is_dry_run, num_good, num_bad, num_total, num_to_analyze, num_analyzed, num_analysis_bad,
               extract(epoch FROM now() - created_at)::float8 AS seconds
   ), payload AS (
     DELETE FROM operation_chunk WHERE tenant_id = $1 AND operation_id IN (SELECT id FROM finished)
   ), event AS (
     INSERT INTO operation_event (operation_id, sequence, tenant_id, type, data)
     SELECT id, (SELECT max(sequence) + 1 FROM operation_event WHERE tenant_id = $1 AND operation_id = $2), $1,
            CASE WHEN $3 THEN 'aborted' ELSE 'finished' END,
            to_jsonb(finished) - '{id,seconds,kind,is_dry_run}'::text[]
     FROM finished
   ), counted AS (
     INSERT INTO notification_counter AS c (tenant_id, last_number) SELECT $1, 1 FROM finished
     ON CONFLICT (tenant_id) DO UPDATE SET last_number = c.last_number + 1 RETURNING last_number
   ), notified AS (
     INSERT INTO notification (tenant_id, number, kind, operation_id, data)
     SELECT $1, counted.last_number, 'operation.finished', id,
            to_jsonb(finished) - '{id,seconds}'::text[] || jsonb_build_object('is_aborted', $3::boolean)
     FROM finished, counted
     RETURNING pg_notify('vitrine_notification', $1::int::text)
   )
   SELECT pg_notify('vitrine_operation', id || ':finished'), seconds, num_good AS good, num_bad AS bad FROM finished`,
);

/** Asks the worker of a running operation to stop. No row: it is not running. */
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

/** The logs of several operations, each after its own sequence number. */
export const operationEvents = tenantStatement(
  'operation-events',
  `SELECT e.operation_id AS "operationId", asked.after AS asked, e.sequence, e.at, e.type, e.data
   FROM unnest($2::bigint[], $3::int[]) AS asked(id, after)
   JOIN operation_event e ON e.tenant_id = $1 AND e.operation_id = asked.id AND e.sequence > asked.after
   ORDER BY e.operation_id, e.sequence`,
);
