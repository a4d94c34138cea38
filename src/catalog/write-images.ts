import { writableImageFields } from './fields.ts';
import type { FieldType } from './fields.ts';
import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb, TenantStatement } from '../tenants/index.ts';
import type { Queryable } from '../backing/index.ts';
import type { FieldValue, WriteAction } from './check-element.ts';

/** Facts that are read from the source of an image. */
export type ImageSourceFacts = Readonly<{
  width: number;
  height: number;
  format: string;
  byteSize: number;
  /** SHA-256, hexadecimal. */
  checksum: string;
}>;

/** One image to write: checked values, and facts where a source was read. */
export type ImageWrite = Readonly<{
  id: string;
  values: Readonly<Record<string, FieldValue>>;
  facts: ImageSourceFacts | null;
}>;

/** What a bulk write did: ids that were written, and which of them are new. */
export type Written = Readonly<{ ids: ReadonlySet<string>; created: ReadonlySet<string> }>;

const sqlTypes: Readonly<Record<FieldType, string>> = {
  text: 'text',
  keyword: 'text',
  date: 'text',
  list: 'text[]',
  boolean: 'boolean',
  integer: 'integer',
  time: 'timestamptz',
};

type Column = Readonly<{ name: string; property: string; type: string; fromFile: boolean }>;

/** Every column that a write sets, in one order for all statements. */
const columns: readonly Column[] = [
  ...writableImageFields.map(({ name, property, type }) => ({ name, property, type: sqlTypes[type], fromFile: false })),
  { name: 'date_start', property: 'dateStart', type: 'date', fromFile: false },
  { name: 'date_end', property: 'dateEnd', type: 'date', fromFile: false },
  { name: 'width', property: 'width', type: 'integer', fromFile: true },
  { name: 'height', property: 'height', type: 'integer', fromFile: true },
  { name: 'format', property: 'format', type: 'text', fromFile: true },
  { name: 'byte_size', property: 'byteSize', type: 'bigint', fromFile: true },
  { name: 'checksum', property: 'checksum', type: 'text', fromFile: true },
  { name: 'ai_status', property: 'aiStatus', type: 'text', fromFile: true },
];

const names = columns.map(({ name }) => `"${name}"`).join(', ');
const values = columns.map(({ name, property }) => valueOf(name, property)).join(', ');
const recordset = `json_to_recordset($2::json) AS r(id text, sent text[], ${columns
  .map(({ property, type }) => `"${property}" ${type}`)
  .join(', ')})`;

function valueOf(name: string, property: string): string {
  return name === 'checksum' ? `decode(r."checksum", 'hex')` : `r."${property}"`;
}

/** What was seen in a file that another one replaces. */
const seen = ['n_faces', 'ocr', 'bw', 'colors', 'concepts'];
const unseen = seen.map((name) => `${name} = NULL`).join(', ');
const unseenInFile = seen
  .map((name) => `${name} = CASE WHEN 'checksum' = ANY(r.sent) THEN NULL ELSE i.${name} END`)
  .join(', ');

const insert = `INSERT INTO image (tenant_id, image_id, lang, ${names})
  SELECT $1, r.id, COALESCE($3::language, 'es'), ${values} FROM ${recordset}`;
const replaced = columns.map(({ name }) => `"${name}" = EXCLUDED."${name}"`).join(', ');
const assigned = columns.map(({ name, property }) => `"${name}" = ${valueOf(name, property)}`).join(', ');
const patched = columns
  .map(
    ({ name, property }) =>
      `"${name}" = CASE WHEN '${property}' = ANY(r.sent) THEN ${valueOf(name, property)} ELSE i."${name}" END`,
  )
  .join(', ');

/**
 * `$1` tenant, `$2` the elements as a JSON array, `$3` the language the caller stated or null: new
 * texts are then Spanish, the contract's default, and a patch keeps the record's language.
 */
const statements: Readonly<Record<WriteAction, TenantStatement>> = {
  create: tenantStatement(
    'create-images',
    `${insert} ON CONFLICT (tenant_id, image_id) DO NOTHING RETURNING image_id AS id, true AS created`,
  ),
  upsert: tenantStatement(
    'upsert-images',
    `${insert} ON CONFLICT (tenant_id, image_id) DO UPDATE
       SET ${replaced}, lang = EXCLUDED.lang, ${unseen}, provenance = NULL, updated_at = now()
     RETURNING image_id AS id, (xmax = 0) AS created`,
  ),
  replace: tenantStatement(
    'replace-images',
    `UPDATE image i
     SET ${assigned}, lang = COALESCE($3::language, 'es'), ${unseen}, provenance = NULL, updated_at = now()
     FROM ${recordset}
     WHERE i.tenant_id = $1 AND i.image_id = r.id RETURNING i.image_id AS id, false AS created`,
  ),
  update: tenantStatement(
    'update-images',
    `UPDATE image i
     SET ${patched}, lang = COALESCE($3::language, i.lang), updated_at = now(), provenance = i.provenance - r.sent,
         ${unseenInFile}
     FROM ${recordset}
     WHERE i.tenant_id = $1 AND i.image_id = r.id RETURNING i.image_id AS id, false AS created`,
  ),
  analyze: tenantStatement(
    'analyze-images',
    `UPDATE image i SET ai_status = 'pending' FROM json_to_recordset($2::json) AS r(id text)
     WHERE i.tenant_id = $1 AND i.image_id = r.id AND ($3::language IS NULL OR true)
     RETURNING i.image_id AS id, false AS created`,
  ),
  delete: tenantStatement(
    'delete-images',
    `DELETE FROM image i USING json_to_recordset($2::json) AS r(id text)
     WHERE i.tenant_id = $1 AND i.image_id = r.id AND ($3::language IS NULL OR true)
     RETURNING i.image_id AS id, false AS created`,
  ),
};

const existing = tenantStatement(
  'existing-images',
  `SELECT image_id AS id FROM image WHERE tenant_id = $1 AND image_id = ANY($2::text[])`,
);

/** Which of `ids` are images of this tenant now. */
export async function existingImages(db: TenantDb, ids: readonly string[], client?: Queryable): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>(existing, [ids], client);
  return new Set(rows.map(({ id }) => id));
}

export type WriteOptions = Readonly<{
  lang: string | null;
  /** Of records whose file is new. */
  aiStatus: 'pending' | null;
}>;

/**
 * Writes images in one statement, inside the caller's transaction. An id that the action does not
 * fit (it exists at `create`, it is missing at the others) is left out of the result.
 */
export async function writeImages(
  db: TenantDb,
  client: Queryable,
  action: WriteAction,
  writes: readonly ImageWrite[],
  { lang, aiStatus }: WriteOptions,
): Promise<Written> {
  const elements = writes.map(({ id, values: own, facts }) => {
    const row = facts === null ? { ...own } : { ...own, ...facts, aiStatus };
    return { ...row, id, sent: Object.keys(row) };
  });
  const parameters = [JSON.stringify(elements), lang];
  const { rows } = await db.query<{ id: string; created: boolean }>(statements[action], parameters, client);
  return {
    ids: new Set(rows.map(({ id }) => id)),
    created: new Set(rows.filter(({ created }) => created).map(({ id }) => id)),
  };
}
