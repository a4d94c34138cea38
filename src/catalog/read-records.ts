import { LRUCache } from 'lru-cache';
import type { Image, Video } from '../../prisma/generated/client/client.ts';
import { printableTypes } from '../backing/index.ts';
import { tenantStatementOf } from '../tenants/index.ts';
import type { TenantDb, TenantStatement } from '../tenants/index.ts';
import type { Provenance } from './analysis.ts';
import { fieldsOf, longTextOf } from './fields.ts';
import type { Resource } from './fields.ts';
import { versionOf } from './version.ts';
import { canBeId } from './record-id.ts';

type Stored<Row> = Partial<Omit<Row, 'createdAt' | 'updatedAt'> & { createdAt: string; updatedAt: string }>;

/** What decides which values of an analysis are still to be reviewed. */
export type Reviewed = Readonly<{
  rowId: number;
  lang: string;
  /** Caption or description. */
  text: string | null;
  keywords: readonly string[] | null;
  lockedFields: readonly string[] | null;
  refusedKeywords: readonly string[] | null;
  provenance: Readonly<Record<string, Provenance>> | null;
}>;

/** A row with the requested fields under their property names; times are RFC 3339 text. */
export type RecordRow = (Stored<Image> | Stored<Video>) &
  Readonly<{
    version?: string;
    recordId?: string;
    placeholder?: string | null;
    reviewed?: Reviewed;
    /** For a picture: row id, file id, width and height. */
    preview?: readonly [rowId: string, fileId: string, width: string, height: string] | null;
    /** For a video's file: row id, file id, container, size in bytes. */
    file?: readonly [rowId: string, fileId: string, container: string, bytes: string] | null;
  }>;

/** Columns for values that are not fields of the contract. */
const besides: readonly (readonly [property: string, column: string])[] = [
  ['version', `${versionOf('')} AS "version"`],
  ['lang', 'lang AS "lang"'],
  ['aiStatus', 'ai_status AS "aiStatus"'],
  ['provenance', 'provenance AS "provenance"'],
  ['ai', 'row_id AS "rowId"'],
  // Only images: videos have a field of this name.
  ['id', 'image_id AS "id"'],
];

const imageFileId = "encode(substring(checksum FROM 1 FOR 16), 'hex')";
const videoFileId = "replace(reading::text, '-', '')";

/** What the URLs of previews and files are made of; null if there is nothing to show. */
const shownColumns: Readonly<Record<Resource, readonly (readonly [property: string, column: string])[]>> = {
  image: named(`ARRAY[row_id::text, ${imageFileId}, width::text, height::text] AS "preview"`, [
    'preview',
    'previewUrl',
  ]),
  video: [
    ...named(
      `CASE WHEN poster IS NOT NULL THEN ARRAY[row_id::text, ${videoFileId}, width::text, height::text] END AS "preview"`,
      ['preview', 'filmstrip', 'posterUrl', 'filmstripUrl'],
    ),
    ...named(
      `CASE WHEN COALESCE(src, src_path) IS NOT NULL
       THEN ARRAY[row_id::text, ${videoFileId}, container, byte_size::text] END AS "file"`,
      ['file', 'fileUrl'],
    ),
  ],
};

function named(column: string, properties: readonly string[]): (readonly [property: string, column: string])[] {
  return properties.map((property) => [property, column] as const);
}

/** At most 30 bytes, so the base64 text has no line breaks. */
const placeholder = ['placeholder', `encode(placeholder, 'base64') AS "placeholder"`] as const;

/** The column to read a record's `Reviewed` from. */
const reviewed = (text: string) =>
  `jsonb_build_object('rowId', row_id, 'lang', lang, 'text', ${text}, 'keywords', keywords, 'lockedFields', locked_fields,
    'refusedKeywords', refused_keywords, 'provenance', provenance) AS "reviewed"`;

const columnsOf = { image: selectable('image'), video: selectable('video') };

function selectable(resource: Resource): ReadonlyMap<string, string> {
  const own = fieldsOf[resource].map(({ property, sql }) => [property, `${sql} AS "${property}"`] as const);
  return new Map([
    ...besides,
    ...named(`${resource}_id AS "recordId"`, ['history', 'nodeId']),
    ...shownColumns[resource],
    ['proposals', reviewed(longTextOf[resource])],
    ...(resource === 'image' ? [placeholder] : []),
    ...own,
  ]);
}

/**
 * Statements, cached by property list, because compiled documents keep theirs. A list of nodes serves both kinds of
 * records.
 */
const statements = { image: statementsByList(), video: statementsByList() };

function statementsByList() {
  return new LRUCache<readonly string[], TenantStatement>({ max: 1000 });
}

const selectLists = {
  image: new WeakMap<readonly string[], string>(),
  video: new WeakMap<readonly string[], string>(),
};

/** Returns a select list, `n_faces AS "nFaces", …`, of the known properties among `properties`; built once per list. */
export function selectList(resource: Resource, properties: readonly string[]): string {
  let list = selectLists[resource].get(properties);
  if (list === undefined) selectLists[resource].set(properties, (list = composeList(resource, properties)));
  return list;
}

function composeList(resource: Resource, properties: readonly string[]): string {
  const columns = properties.flatMap((property) => {
    const column = columnsOf[resource].get(property);
    return column === undefined ? [] : [column];
  });
  // Two fields may come from the same column.
  return columns.length === 0 ? `${resource}_id AS "${resource}Id"` : [...new Set(columns)].join(', ');
}

/** Returns the tenant's record with this id, or null. */
export async function findRecord(
  db: TenantDb,
  resource: Resource,
  id: string,
  properties: readonly string[],
): Promise<RecordRow | null> {
  if (!canBeId(id)) return null;
  const statement = findStatement(resource, properties);
  const found = await db.batchLoad<string, RecordRow>(statement.text, id, async (ids) => {
    const { rows } = await db.query<RecordRow & { _id: string }>(statement, [ids]);
    return new Map(rows.map((row) => [row._id, row]));
  });
  return found ?? null;
}

/** Returns those of these ids that are records of the tenant, by id. */
export async function findRecords(
  db: TenantDb,
  resource: Resource,
  ids: readonly string[],
  properties: readonly string[],
): Promise<ReadonlyMap<string, RecordRow>> {
  const { rows } = await db.query<RecordRow & { _id: string }>(findStatement(resource, properties), [
    ids.filter(canBeId),
  ]);
  return new Map(rows.map((row) => [row._id, row]));
}

/** Builds the statement once per property list. */
function findStatement(resource: Resource, properties: readonly string[]): TenantStatement {
  let statement = statements[resource].get(properties);
  if (statement === undefined) {
    const columns = selectList(resource, properties);
    const text = `SELECT ${columns}, ${resource}_id AS "_id" FROM ${resource}
      WHERE tenant_id = $1 AND ${resource}_id = ANY ($2)`;
    statements[resource].set(
      properties,
      (statement = tenantStatementOf(text, { types: printableTypes, isRead: true })),
    );
  }
  return statement;
}
