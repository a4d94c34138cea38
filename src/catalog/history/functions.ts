import { writableFieldsOf } from '../fields.ts';
import type { Resource } from '../fields.ts';
import { statementFunction } from '../statement-triggers.ts';
import { storedFactsOf } from '../stored-facts.ts';

/**
 * The SQL in prisma/functions that keeps the history of records. It is derived from the tables of fields and facts
 * and written by `npm run generate`.
 */

/** State of the analysis. It changes without any caller, so it is kept only when the analysis starts over. */
const analysisState = ['ai_status', 'ai_reason'];

/** Columns that identify a record or tell when it was written: only part of the state of a whole record. */
const ofRow = (resource: Resource) => ['row_id', `${resource}_id`, 'created_at', 'updated_at'];

/** Columns whose former values are kept: what callers wrote, and what was read from the file or found in it. */
export const historyColumnsOf: Readonly<Record<Resource, readonly string[]>> = {
  image: columnsOf('image'),
  video: columnsOf('video'),
};

function columnsOf(resource: Resource): readonly string[] {
  const { facts, cleared } = storedFactsOf[resource];
  const written = [...writableFieldsOf[resource], ...facts].map(({ name }) => name);
  return [...new Set([...written, 'date_start', 'date_end', 'lang', 'checksum', ...cleared])];
}

/** The member of a JSON object, as text, for a column that differs: this is cheaper than concatenating objects. */
const difference = (name: string) =>
  `CASE WHEN f."${name}" IS DISTINCT FROM c."${name}" THEN '"${name}":' || COALESCE(to_json(f."${name}")::text, 'null') END`;

/** The state of a row, as a JSON object of its non-null columns. */
function stateOf(resource: Resource, row: string): string {
  const columns = [...ofRow(resource), ...historyColumnsOf[resource]];
  const members = columns.map((name) => `'"${name}":' || to_json(${row}."${name}")`);
  const provenance = `(SELECT string_agg('"provenance.' || key || '":' || value, ',') FROM jsonb_each(${row}.provenance))`;
  return objectOf([...members, provenance]);
}

/** Joins members of an object, skipping those that are null. */
function membersOf(members: readonly string[]): string {
  return `concat_ws(',',\n    ${members.join(',\n    ')})`;
}

function objectOf(members: readonly string[]): string {
  return `('{' || ${membersOf(members)} || '}')::jsonb`;
}

/** Former values of the columns that differ between two rows. */
function differences(resource: Resource): string {
  const columns = historyColumnsOf[resource].filter((name) => !analysisState.includes(name));
  const provenance = `CASE WHEN f.provenance IS DISTINCT FROM c.provenance THEN (
      SELECT string_agg('"provenance.' || key || '":' || COALESCE(f.provenance -> key, 'null'), ',')
      FROM jsonb_object_keys(COALESCE(f.provenance, '{}') || COALESCE(c.provenance, '{}')) AS key
      WHERE f.provenance -> key IS DISTINCT FROM c.provenance -> key) END`;
  return membersOf([...columns.map(difference), provenance]);
}

/**
 * The former state of the analysis, unless it only changed because an analysis ended or the set of analyzers changed.
 */
function formerAnalysis(resource: Resource): string {
  const { mark } = storedFactsOf[resource];
  const columns = historyColumnsOf[resource].filter((name) => analysisState.includes(name));
  return `CASE WHEN c.ai_status IS NULL OR c.ai_status = 'pending' OR f."${mark}" IS DISTINCT FROM c."${mark}"
    THEN ${membersOf(columns.map(difference))} END`;
}

/** Returns the function that gives the present state of a record, in the form that deletions keep. */
export function stateFunction(resource: Resource): string {
  return `-- A record as the history keeps it: its columns without those that are null or derived.
-- Generated from src/catalog/fields.ts by \`npm run generate\`.
CREATE OR REPLACE FUNCTION ${resource}_state(r ${resource}) RETURNS JSONB LANGUAGE sql STABLE AS $$
  SELECT ${stateOf(resource, 'r')}
$$;
`;
}

/** Returns the trigger that keeps what each statement replaces. */
export function historyFunction(resource: Resource): string {
  const columns = 'tenant_id, row_id, operation_id, api_key_id, action';
  const values = (action: string, row: string) =>
    `${row}.tenant_id, ${row}.row_id, source[1]::bigint, NULLIF(source[2], '')::integer, '${action}'`;
  const insert = (action: string, row: string) => `INSERT INTO ${resource}_change (${columns}, before)
    SELECT ${values(action, row)}`;
  const acts = {
    created: `${insert('created', 'c')}, jsonb_build_object('${resource}_id', c.${resource}_id) FROM changed c ORDER BY c.row_id`,
    changed: `${insert('changed', 'd')}, ('{' || concat_ws(',', d.fields, NULLIF(d.analysis, '')) || '}')::jsonb
    FROM (SELECT c.tenant_id, c.row_id, ${differences(resource)} AS fields,
      ${formerAnalysis(resource)} AS analysis
      FROM former f JOIN changed c USING (row_id) OFFSET 0) AS d
    WHERE d.fields <> '' ORDER BY d.row_id`,
    deleted: `${insert('deleted', 'f')}, ${stateOf(resource, 'f')}
    FROM former f JOIN tenant t ON t.id = f.tenant_id ORDER BY f.row_id`,
  };
  const frame = {
    settings: ' SET enable_nestloop = off',
    variables: `DECLARE
  source CONSTANT TEXT[] := string_to_array(NULLIF(current_setting('vitrine.operation', true), ''), ':');
`,
  };
  return `-- Keeps what a statement replaces in records: the former values of what has changed, and deleted records as a whole.
-- The transaction says in \`vitrine.operation\` on whose behalf it writes: the operation and its key, as in 12:3.
-- Generated from src/catalog/fields.ts by \`npm run generate\`.
-- A plan that was made for one row must not compare each of thousands with each.
${statementFunction(resource, 'history', acts, frame)}`;
}
