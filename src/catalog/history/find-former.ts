import type { Queryable } from '../../backing/index.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { Resource } from '../fields.ts';
import { rowAt } from './find-at.ts';
import { historyColumnsOf } from './functions.ts';
import type { Former } from './revert.ts';
import { storedFactsOf } from '../stored-facts.ts';
import { hasId, idIn, provenancePrefix, stateAfter } from './state.ts';

/** Who made the change in row `c`, and when. */
const since = `jsonb_build_object('operation', c.operation_id, 'key', k.name, 'at', c.at)`;
const withKey = 'LEFT JOIN api_key k ON k.tenant_id = $1 AND k.id = c.api_key_id';

/** Joins another record that has the id of `f`, and who created it; if there is none, who deleted the record. */
const taken = (resource: Resource) => `
  LEFT JOIN ${resource} o ON o.tenant_id = $1 AND o.${resource}_id = f.id AND o.row_id <> f.row_id
  LEFT JOIN LATERAL (
    SELECT ${since} AS since FROM ${resource}_change c ${withKey}
    WHERE c.tenant_id = $1 AND c.row_id = COALESCE(o.row_id, f.row_id)
      AND c.action::text = CASE WHEN o.row_id IS NULL THEN 'deleted' ELSE 'created' END
    ORDER BY c.id DESC LIMIT 1
  ) AS taker ON true`;

/** Whether the record that the operation deleted exists again. */
const isBack = `(first_change.action = 'deleted' AND present.row_id IS NOT NULL)`;

/**
 * Selects and locks what rows (`$2`, ids with their rows) were before the operation `$3` changed them. A value counts
 * as changed since if it is neither what the operation left behind nor what it was before. What the operation left
 * behind is the value that was replaced by its next change, or by the deletion of the record. A record that was
 * restored may have other values without any change that says so.
 */
function beforeOperation(resource: Resource): string {
  const { mark } = storedFactsOf[resource];
  const ofRow = `c.tenant_id = $1`;
  // Who restored the record: only read if no change of the value tells who made it.
  const madeSince = `(SELECT ${since} FROM ${resource}_change c ${withKey}
    WHERE ${ofRow} AND c.row_id = f.row_id AND c.action = 'created' ORDER BY c.id DESC LIMIT 1)`;
  return `WITH f AS (
      SELECT e.id, r.value::bigint AS row_id
      FROM json_to_recordset($2::json) AS e(id text, rows json), json_array_elements_text(e.rows) AS r(value)
    ), present AS MATERIALIZED (
      SELECT i.row_id, ${resource}_state(i) AS state FROM ${resource} i
      WHERE i.tenant_id = $1 AND i.row_id IN (SELECT row_id FROM f) FOR UPDATE OF i
    ), own_changes AS MATERIALIZED (
      SELECT c.row_id, c.id, c.action, c.before FROM f JOIN ${resource}_change c ON c.row_id = f.row_id
      WHERE ${ofRow} AND c.operation_id = $3
    ), first_change AS (
      SELECT DISTINCT ON (row_id) row_id, id, action, before FROM own_changes ORDER BY row_id, id
    ), changed_keys AS (
      SELECT own_changes.row_id, b.key, (array_agg(b.value ORDER BY own_changes.id))[1] AS value, max(own_changes.id) AS last
      FROM own_changes, jsonb_each(own_changes.before) AS b WHERE own_changes.action = 'changed' GROUP BY own_changes.row_id, b.key
    ), later_changes AS (
      SELECT c.row_id, b.key, (array_agg(b.value ORDER BY c.id))[1] AS left_as,
             (array_agg(${since} ORDER BY c.id DESC) FILTER (WHERE c.action = 'changed'))[1] AS since
      FROM first_change JOIN ${resource}_change c ON c.row_id = first_change.row_id AND c.id > first_change.id ${withKey}
      CROSS JOIN LATERAL (
        SELECT key, value FROM jsonb_each(c.before) WHERE c.action = 'changed'
        UNION ALL SELECT key, COALESCE(c.before -> key, 'null') FROM unnest(${compared(resource)}) AS key WHERE c.action = 'deleted'
      ) AS b LEFT JOIN changed_keys ON changed_keys.row_id = c.row_id AND changed_keys.key = b.key
      WHERE ${ofRow} AND c.action <> 'created' AND c.operation_id IS DISTINCT FROM $3 AND c.id > COALESCE(changed_keys.last, 0)
      GROUP BY c.row_id, b.key
    )
    SELECT f.id, f.row_id AS "row", first_change.action <> 'created' AS "wasThere", present.row_id IS NOT NULL AS "isThere",
      CASE WHEN ${isBack} THEN back.state WHEN first_change.action = 'deleted' THEN first_change.before ELSE
        (SELECT jsonb_object_agg(changed_keys.key, changed_keys.value) FROM changed_keys WHERE changed_keys.row_id = f.row_id
           AND changed_keys.value IS DISTINCT FROM COALESCE(present.state -> changed_keys.key, 'null')) END AS before,
      CASE WHEN ${isBack} THEN (
        SELECT jsonb_object_agg(d.key, COALESCE(later_changes.since, ${madeSince})) FROM jsonb_object_keys(back.state) AS d(key)
        LEFT JOIN later_changes ON later_changes.row_id = f.row_id AND later_changes.key = d.key
      ) ELSE (SELECT jsonb_object_agg(later_changes.key, COALESCE(later_changes.since, ${madeSince})) FROM later_changes LEFT JOIN changed_keys USING (row_id, key)
       WHERE later_changes.row_id = f.row_id AND COALESCE(present.state -> later_changes.key, 'null') NOT IN (later_changes.left_as, COALESCE(changed_keys.value, later_changes.left_as))
      ) END AS "changedSince",
      (SELECT $3::bigint WHERE (NOT ${isBack} OR back.state ? '${mark}') AND EXISTS (SELECT FROM record_attachment a
         WHERE a.tenant_id = $1 AND a.resource = '${resource}' AND a.row_id = f.row_id AND a.operation_id = $3)) AS "attachedTo",
      o.row_id AS "takenBy", taker.since AS "takenSince"
    FROM f JOIN first_change USING (row_id) LEFT JOIN present USING (row_id)
    LEFT JOIN LATERAL (
      SELECT ${differences(resource, 'first_change.before', 'present.state')} AS state WHERE ${isBack}
    ) AS back ON true ${taken(resource)}`;
}

/** The columns that states are compared by, as an SQL array. */
const compared = (resource: Resource) =>
  `ARRAY['${historyColumnsOf[resource].filter((name) => !name.startsWith('ai_')).join("', '")}']`;

/**
 * The members of a former state that differ from the present one, null for those that the former state lacked;
 * without the state of the analysis.
 */
function differences(resource: Resource, former: string, present: string): string {
  return `(SELECT jsonb_object_agg(key, COALESCE(${former} -> key, 'null')) FROM (
      SELECT unnest(${compared(resource)}) AS key
      UNION SELECT key FROM jsonb_object_keys(${former} || ${present}) AS key WHERE starts_with(key, '${provenancePrefix}')
    ) AS each WHERE ${former} -> key IS DISTINCT FROM ${present} -> key)`;
}

/** Selects and locks what the record with the id `$2` was at the moment `$3`, in the columns that differ from now. */
function atMoment(resource: Resource): string {
  const { mark } = storedFactsOf[resource];
  return `WITH f AS (
      SELECT $2::text AS id, a.row_id, s.state AS former, taking.operation_id
      FROM (${rowAt(resource)}) AS a CROSS JOIN LATERAL ${stateAfter(resource, 'a.row_id', 'a.last')} AS s
      LEFT JOIN LATERAL (
        SELECT c.operation_id FROM ${resource}_change c
        WHERE c.tenant_id = $1 AND c.row_id = a.row_id AND c.id > a.last AND EXISTS (
          SELECT FROM record_attachment t WHERE t.tenant_id = $1 AND t.resource = '${resource}' AND t.row_id = a.row_id
            AND t.operation_id = c.operation_id)
          AND (c.action = 'deleted' OR c.before ? '${mark}')
        ORDER BY c.id LIMIT 1
      ) AS taking ON true
      WHERE (s.state ->> 'created_at')::timestamptz <= $3
    ), present AS MATERIALIZED (
      SELECT i.row_id, ${resource}_state(i) AS state FROM ${resource} i
      WHERE i.tenant_id = $1 AND i.row_id IN (SELECT row_id FROM f) FOR UPDATE OF i
    )
    SELECT f.id, f.row_id AS "row", true AS "wasThere", present.row_id IS NOT NULL AS "isThere",
      CASE WHEN present.row_id IS NULL THEN f.former ELSE ${differences(resource, 'f.former', 'present.state')} END AS before,
      NULL AS "changedSince",
      CASE WHEN present.state -> '${mark}' IS DISTINCT FROM f.former -> '${mark}' THEN f.operation_id END AS "attachedTo", o.row_id AS "takenBy", taker.since AS "takenSince"
    FROM f LEFT JOIN present USING (row_id) ${taken(resource)}`;
}

const statements = { image: statementsOf('image'), video: statementsOf('video') };

function statementsOf(resource: Resource) {
  return {
    beforeOperation: tenantStatement(`${resource}s-before-operation`, beforeOperation(resource)),
    atMoment: tenantStatement(`${resource}-to-restore`, atMoment(resource)),
  };
}

/** Returns what the rows that an operation changed were before it. */
export async function findBefore(
  db: TenantDb,
  client: Queryable,
  resource: Resource,
  operation: number,
  elements: readonly Readonly<{ id: string; rows: readonly number[] }>[],
): Promise<Former[]> {
  const values = [JSON.stringify(elements), operation];
  return (await db.query<Former>(statements[resource].beforeOperation, values, client)).rows;
}

/** Returns what a record was at a moment; empty if no record had the id. */
export async function findAt(
  db: TenantDb,
  client: Queryable,
  resource: Resource,
  { id, at }: Readonly<{ id: string; at: string }>,
): Promise<Former[]> {
  return (await db.query<Former>(statements[resource].atMoment, [id, at], client)).rows;
}

const changed = { image: changedOf('image'), video: changedOf('video') };

function changedOf(resource: Resource) {
  return tenantStatement(
    `rows-of-operation-on-${resource}s`,
    `WITH own AS (
         SELECT row_id, min(id) AS first, max(${idIn(resource)}) AS ref FROM ${resource}_change
         WHERE tenant_id = $1 AND operation_id = $2 GROUP BY row_id
       ), named AS (
         SELECT p.row_id, p.first, ${idOfRow(resource)} AS id FROM own p
       )
       SELECT id, json_agg(row_id ORDER BY first) AS rows FROM named WHERE id IS NOT NULL GROUP BY id ORDER BY min(first)`,
  );
}

/** SQL for the id of the record of `p`, which may have been deleted. */
export function idOfRow(resource: Resource): string {
  return `COALESCE(p.ref,
    (SELECT i.${resource}_id FROM ${resource} i WHERE i.tenant_id = $1 AND i.row_id = p.row_id),
    (SELECT d.${idIn(resource)} FROM ${resource}_change d WHERE d.tenant_id = $1 AND d.row_id = p.row_id
       AND d.${hasId} ORDER BY d.id DESC LIMIT 1))`;
}

/** Returns the records that an operation changed, with their rows, in order of their first change. */
export async function changedRows(
  db: TenantDb,
  resource: Resource,
  operation: number,
): Promise<readonly Readonly<{ id: string; rows: readonly number[] }>[]> {
  return (await db.query<{ id: string; rows: number[] }>(changed[resource], [operation])).rows;
}
