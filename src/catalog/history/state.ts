import type { Resource } from '../fields.ts';

/** The non-null columns of a record by name, with a key for the provenance of each value. */
export type State = Readonly<Record<string, unknown>>;

/** Prefix of the key for a property's provenance. */
export const provenancePrefix = 'provenance.';

/** Greater than the id of any change. */
const end = '9223372036854775807';

/**
 * The id of the record, in a row of changes that created or deleted it; null in any other. Indexed for rows where
 * `hasId` holds.
 */
export const idIn = (resource: Resource) => `before ->> '${resource}_id'`;

/** Whether a row of changes created or deleted a record. */
export const hasId = `action <> 'changed'`;

/** SELECT of the rows of the tenant `$1` whose record has, or had, the id `id`, an SQL expression. */
export function rowsOf(resource: Resource, id: string): string {
  return `SELECT row_id FROM ${resource} WHERE tenant_id = $1 AND ${resource}_id = ${id}
    UNION SELECT row_id FROM ${resource}_change WHERE tenant_id = $1 AND ${hasId} AND ${idIn(resource)} = ${id}`;
}

/**
 * SQL for the state of the record right after a change, as an object of its columns: its present state, or that of
 * its next deletion, overlaid with the values that the changes in between replaced, the earliest one last. `row` and
 * `change` are SQL expressions.
 */
export function stateAfter(resource: Resource, row: string, change: string): string {
  const ofRow = (alias: string) => `${alias}.tenant_id = $1 AND ${alias}.row_id = ${row}`;
  return `(
    SELECT jsonb_object_agg(m.key, m.value ORDER BY m.number DESC) AS state
    FROM (SELECT) AS one
    LEFT JOIN LATERAL (
      SELECT g.id, g.before FROM ${resource}_change g WHERE ${ofRow('g')} AND g.id > ${change} AND g.action = 'deleted' ORDER BY g.id LIMIT 1
    ) AS gone ON true
    LEFT JOIN LATERAL (SELECT ${resource}_state(i) AS state FROM ${resource} i WHERE i.tenant_id = $1 AND i.row_id = ${row}) AS present ON true
    CROSS JOIN LATERAL (
      SELECT ${end} AS number, key, value FROM jsonb_each(COALESCE(gone.before, present.state))
      UNION ALL
      SELECT h.id, b.key, b.value FROM ${resource}_change h, jsonb_each(h.before) AS b
      WHERE ${ofRow('h')} AND h.id > ${change} AND h.id < COALESCE(gone.id, ${end}) AND h.action = 'changed'
    ) AS m
  )`;
}

/** SQL for the members of `state` whose keys `object` has, too; null for those that `state` lacks. */
export function membersOf(state: string, object: string): string {
  return `(SELECT jsonb_object_agg(k, COALESCE(${state} -> k, 'null')) FROM jsonb_object_keys(${object}) AS k)`;
}

/**
 * Converts a state to a row of its table, for `jsonb_populate_record`: the table has all provenance in a single
 * column.
 */
export function recordOf(state: string): string {
  return `${state} || jsonb_build_object('provenance', (
    SELECT jsonb_object_agg(substr(p.key, ${provenancePrefix.length + 1}), p.value) FROM jsonb_each(${state}) AS p
    WHERE starts_with(p.key, '${provenancePrefix}') AND p.value <> 'null'))`;
}
