import { lockableFieldsOf, reviewFields, writableFieldsOf } from './fields.ts';
import type { FieldType, Resource } from './fields.ts';
import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb, TenantStatement } from '../tenants/index.ts';
import type { Queryable } from '../backing/index.ts';
import type { CarriedAnalysis } from './carried/shape.ts';
import type { FieldValue, WriteAction } from './check-element.ts';
import { isLocked, isPropertyLocked } from './locks.ts';
import { storedFactsOf } from './stored-facts.ts';
import type { SourceFacts, StoredFact } from './stored-facts.ts';
import type { Revert } from './history/revert.ts';
import { laterThan, versionOf } from './version.ts';
import type { IfMatch } from './version.ts';

/** One record to write: checked values, and facts if a source was read. */
export type RecordWrite = Readonly<{
  id: string;
  values: Readonly<Record<string, FieldValue>>;
  facts: SourceFacts | null;
  /** The versions of the record that the write accepts. */
  ifMatch?: IfMatch | undefined;
  /** The state to revert it to. */
  revert?: Revert | undefined;
  /** The id of the record to merge it into. */
  into?: string | undefined;
  /** The versions of that record that the write accepts. */
  intoIfMatch?: IfMatch | undefined;
  /** The analysis that a new record brings along, so that its source is not read. */
  analysis?: CarriedAnalysis | undefined;
}>;

/** The result of a bulk write: the rows written, by record id, and the ids of new records. */
export type Written = Readonly<{ rows: ReadonlyMap<string, number>; created: ReadonlySet<string> }>;

const sqlTypes: Readonly<Record<FieldType, string>> = {
  text: 'text',
  keyword: 'text',
  date: 'text',
  list: 'text[]',
  boolean: 'boolean',
  integer: 'integer',
  number: 'float8',
  duration: 'float8',
  time: 'timestamptz',
};

/** A column that a write sets. `lock` is the field whose lock protects it; `true` if it is always protected. */
type WrittenColumn = StoredFact & Readonly<{ lock?: string | true }>;

/** The columns that are set from values of the caller or facts from the file. */
function columnsOf(resource: Resource): readonly WrittenColumn[] {
  const lockable = lockableFieldsOf[resource].map(({ name }) => name);
  const written = writableFieldsOf[resource].map(({ name, property, type }): WrittenColumn => {
    const lock = reviewFields.includes(name) ? { lock: true as const } : lockable.includes(name) && { lock: name };
    return { name, property, type: sqlTypes[type], value: `r."${property}"`, ...lock };
  });
  const period = [
    { name: 'date_start', property: 'dateStart', type: 'date', value: 'r."dateStart"', lock: 'date' },
    { name: 'date_end', property: 'dateEnd', type: 'date', value: 'r."dateEnd"', lock: 'date' },
  ];
  return [...written, ...period, ...storedFactsOf[resource].facts];
}

/** SQL for the value that a column gets from a write that respects locks. */
function unlessLocked(row: string, { name, lock }: WrittenColumn, value: string): string {
  if (lock === undefined) return value;
  if (lock === true) return `${row}."${name}"`;
  return `CASE WHEN ${isLocked(row, lock)} THEN ${row}."${name}" ELSE ${value} END`;
}

/** Returns the parts of a SET that depend on whether locked fields keep their values. */
function assignmentsOf(table: Resource, columns: readonly WrittenColumn[], respectsLocks: boolean) {
  const guarded = (row: string, column: WrittenColumn, value: string) =>
    respectsLocks ? unlessLocked(row, column, value) : value;
  /** Sets each column of a row to what `one` returns. */
  const set = (row: string, one: (column: WrittenColumn) => string) =>
    columns.map((column) => `"${column.name}" = ${guarded(row, column, one(column))}`).join(', ');
  const { facts, mark } = storedFactsOf[table];
  const unsent = (property: string) => `'${property}' <> ALL(r.sent)`;
  /**
   * Whether a row already has everything that an element sends. Facts read from a file count as new even if they are
   * the same.
   */
  const isAsSent = columns
    .filter((column) => !facts.includes(column))
    .map((column) => {
      const value = guarded('i', column, column.value);
      return `(${unsent(column.property)} OR i."${column.name}" IS NOT DISTINCT FROM ${value})`;
    })
    .concat(unsent(mark))
    .join(' AND ');
  /** Clears what a replace does not keep of the former record. */
  const reset = (row: string) => {
    const locked = `(SELECT jsonb_object_agg(p.key, p.value) FROM jsonb_each(${row}.provenance) AS p
      WHERE ${isPropertyLocked(table, row, 'p.key')})`;
    const former = [
      ...storedFactsOf[table].cleared.map((name) => `${name} = NULL`),
      `provenance = ${respectsLocks ? locked : 'NULL'}`,
    ];
    return former.map((assignment) => `${assignment}, `).join('');
  };
  /** The properties that an update sets. */
  const sent = respectsLocks
    ? `ARRAY(SELECT s.property FROM unnest(r.sent) AS s(property) WHERE ${isPropertyLocked(table, 'i', 's.property')} IS NOT TRUE)`
    : 'r.sent';
  return { set, isAsSent, reset, sent };
}

/** Actions that take a single statement; the others take several. */
type RowAction = Exclude<WriteAction, 'revert' | 'purge' | 'merge'>;

/**
 * Parameters: `$1` tenant, `$2` the elements as a JSON array, `$3` the language that the caller stated, or null. If
 * null, new texts are Spanish, the contract's default, and an update keeps the record's language.
 */
function statementsOf(table: Resource, respectsLocks: boolean): Readonly<Record<RowAction, TenantStatement>> {
  const suffix = respectsLocks ? '-unless-locked' : '';
  const id = `${table}_id`;
  const columns = columnsOf(table);
  const { cleared, mark, carried } = storedFactsOf[table];
  const recordsetOf = (set: readonly StoredFact[]) =>
    `json_to_recordset($2::json) AS r(id text, sent text[], "ifMatch" text[], ${set
      .map(({ property, type }) => `"${property}" ${type}`)
      .join(', ')})`;
  const recordset = recordsetOf(columns);
  const insertOf = (set: readonly StoredFact[]) =>
    `INSERT INTO ${table} (tenant_id, ${id}, ${set.map(({ name }) => `"${name}"`).join(', ')})
    SELECT $1, r.id, ${set.map(({ value }) => value).join(', ')} FROM ${recordsetOf(set)}`;
  const lang: StoredFact = { name: 'lang', property: 'lang', type: 'text', value: `COALESCE($3::language, 'es')` };
  const { set, isAsSent, reset, sent } = assignmentsOf(table, columns, respectsLocks);
  const newLang = 'COALESCE($3::language, i.lang)';
  const provenance = `NULLIF(i.provenance - ${sent}, '{}')`;
  const isUnchanged = `${newLang} IS NOT DISTINCT FROM i.lang AND ${provenance} IS NOT DISTINCT FROM i.provenance AND ${isAsSent}`;
  const kept = cleared.map((name) => `${name} = CASE WHEN '${mark}' = ANY(r.sent) THEN NULL ELSE i.${name} END, `);
  // If another transaction has changed the row in the meantime, this is evaluated again for the changed row.
  const isMet = `(r."ifMatch" IS NULL OR ${versionOf('i.')} = ANY (r."ifMatch"))`;
  const ofElement = `FROM ${recordset}
     WHERE i.tenant_id = $1 AND i.${id} = r.id AND ${isMet} RETURNING i.${id} AS id, i.row_id AS "rowId", false AS created`;
  return {
    create: tenantStatement(
      `create-${table}s`,
      `${insertOf([...columns, ...carried])} ON CONFLICT (tenant_id, ${id}) DO NOTHING
       RETURNING ${id} AS id, row_id AS "rowId", true AS created`,
    ),
    upsert: tenantStatement(
      `upsert-${table}s${suffix}`,
      `${insertOf([...columns, lang])} ON CONFLICT (tenant_id, ${id}) DO UPDATE
       SET ${set(table, ({ name }) => `EXCLUDED."${name}"`)}, lang = EXCLUDED.lang, ${reset(table)}updated_at = ${laterThan(`${table}.`)}
       RETURNING ${id} AS id, row_id AS "rowId", (xmax = 0) AS created`,
    ),
    replace: tenantStatement(
      `replace-${table}s${suffix}`,
      `UPDATE ${table} i
       SET ${set('i', ({ value }) => value)}, lang = COALESCE($3::language, 'es'), ${reset('i')}updated_at = ${laterThan('i.')} ${ofElement}`,
    ),
    update: tenantStatement(
      `update-${table}s${suffix}`,
      `UPDATE ${table} i
       SET ${set('i', ({ name, property, value }) => `CASE WHEN '${property}' = ANY(r.sent) THEN ${value} ELSE i."${name}" END`)},
         lang = ${newLang}, ${kept.join('')}provenance = ${provenance},
         updated_at = CASE WHEN ${isUnchanged} THEN i.updated_at ELSE ${laterThan('i.')} END ${ofElement}`,
    ),
    analyze: tenantStatement(
      `analyze-${table}s`,
      `UPDATE ${table} i SET ai_status = 'pending' FROM json_to_recordset($2::json) AS r(id text)
       WHERE i.tenant_id = $1 AND i.${id} = r.id AND ($3::language IS NULL OR true)
       RETURNING i.${id} AS id, i.row_id AS "rowId", false AS created`,
    ),
    delete: tenantStatement(
      `delete-${table}s`,
      `DELETE FROM ${table} i USING json_to_recordset($2::json) AS r(id text, "ifMatch" text[])
       WHERE i.tenant_id = $1 AND i.${id} = r.id AND ${isMet} AND ($3::language IS NULL OR true)
       RETURNING i.${id} AS id, i.row_id AS "rowId", false AS created`,
    ),
  };
}

const statements = { image: statementsOf('image', false), video: statementsOf('video', false) };
const respecting = { image: statementsOf('image', true), video: statementsOf('video', true) };

const existing = { image: existingStatement('image'), video: existingStatement('video') };

function existingStatement(table: Resource): TenantStatement {
  const id = `${table}_id`;
  return tenantStatement(
    `existing-${table}s`,
    `SELECT ${id} AS id FROM ${table} WHERE tenant_id = $1 AND ${id} = ANY($2::text[])`,
  );
}

/** Returns those of `ids` that are records of this tenant. */
export async function existingRecords(
  db: TenantDb,
  resource: Resource,
  ids: readonly string[],
  client?: Queryable,
): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>(existing[resource], [ids], client);
  return new Set(rows.map(({ id }) => id));
}

type WrittenRow = Readonly<{ id: string; rowId: number; created: boolean }>;

/** How to write records. */
export type Writing = Readonly<{
  resource: Resource;
  action: WriteAction;
  /** The language that the caller stated. */
  lang: string | null;
  /** The status of records with a new file, unless reading the file determines it. */
  aiStatus: 'pending' | null;
  /** Whether locked fields keep their values. */
  respectsLocks: boolean;
}>;

/** If a source has readable pictures (`ready`) and is to be analyzed, sets its status to pending. */
function pendingOf({ aiStatus: known }: SourceFacts, aiStatus: Writing['aiStatus']) {
  return known === 'ready' && aiStatus !== null ? { aiStatus } : {};
}

/**
 * Writes records in one statement, inside the caller's transaction. An id that does not suit the action (it exists
 * for `create`, or is missing for any other) is left out of the result.
 */
export async function writeRecords(
  db: TenantDb,
  client: Queryable,
  { resource, action, lang, aiStatus, respectsLocks }: Writing & Readonly<{ action: RowAction }>,
  writes: readonly RecordWrite[],
): Promise<Written> {
  const elements = writes.map(({ id, values: own, facts, ifMatch, analysis }) => {
    const row =
      facts === null ? { ...own, ...analysis?.columns } : { ...own, aiStatus, ...facts, ...pendingOf(facts, aiStatus) };
    // `*` and `absent` need no condition: each action already requires that the record exists, or that it does not.
    const versions = Array.isArray(ifMatch) ? { ifMatch } : {};
    return { ...row, ...versions, id, sent: Object.keys(row) };
  });
  const parameters = [JSON.stringify(elements), lang];
  const statement = (respectsLocks ? respecting : statements)[resource][action];
  const { rows } = await db.query<WrittenRow>(statement, parameters, client);
  return {
    rows: new Map(rows.map(({ id, rowId }) => [id, rowId])),
    created: new Set(rows.filter(({ created }) => created).map(({ id }) => id)),
  };
}
