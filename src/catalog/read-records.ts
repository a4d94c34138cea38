import { LRUCache } from 'lru-cache';
import type { Image, Video } from '../../prisma/generated/client/client.ts';
import { printableTypes } from '../backing/index.ts';
import { tenantStatementOf } from '../tenants/index.ts';
import type { TenantDb, TenantStatement } from '../tenants/index.ts';
import { fieldsOf } from './fields.ts';
import type { Resource } from './fields.ts';
import { versionOf } from './version.ts';

type Stored<Row> = Partial<Omit<Row, 'createdAt' | 'updatedAt'> & { createdAt: string; updatedAt: string }>;

/** A row with the fields that were asked for, under their property names; moments are RFC 3339 text. */
export type RecordRow = (Stored<Image> | Stored<Video>) &
  Readonly<{
    version?: string;
    placeholder?: string | null;
    /** Row, first 16 bytes of the checksum, width and height of the picture. */
    preview?: readonly [rowId: string, checksum: string, width: string, height: string] | null;
  }>;

/** Columns of values that are not fields of the contract. */
const besides: readonly (readonly [property: string, column: string])[] = [
  ['version', `${versionOf('')} AS "version"`],
  ['aiStatus', 'ai_status AS "aiStatus"'],
  ['provenance', 'provenance AS "provenance"'],
  ['ai', 'row_id AS "rowId"'],
  // Of images; videos have a field of this name.
  ['id', 'image_id AS "id"'],
];

/** What the address of a preview is made of: the row, the beginning of its checksum, its size; null where nothing can be shown. */
const shownColumns: Readonly<Record<Resource, string>> = {
  image: shown('TRUE'),
  video: shown('poster IS NOT NULL AND checksum IS NOT NULL'),
};

function shown(condition: string): string {
  const parts = `row_id::text, encode(substring(checksum FROM 1 FOR 16), 'hex'), width::text, height::text`;
  return `CASE WHEN ${condition} THEN ARRAY[${parts}] END AS "preview"`;
}

const columnsOf = { image: selectable('image'), video: selectable('video') };

function selectable(resource: Resource): ReadonlyMap<string, string> {
  const own = fieldsOf[resource].map(({ property, sql }) => [property, `${sql} AS "${property}"`] as const);
  const preview = shownColumns[resource];
  return new Map([...besides, ['preview', preview], ...(resource === 'image' ? ofImages(preview) : []), ...own]);
}

/** Columns of images for those who show pictures. */
function ofImages(preview: string): readonly (readonly [property: string, column: string])[] {
  return [
    ['previewUrl', preview],
    ['placeholder', `translate(encode(placeholder, 'base64'), E'\\n', '') AS "placeholder"`],
  ];
}

/** Compiled documents keep their lists of properties, and each list is of one kind of record. */
const statements = new LRUCache<readonly string[], TenantStatement>({ max: 1000 });

const selectLists = {
  image: new WeakMap<readonly string[], string>(),
  video: new WeakMap<readonly string[], string>(),
};

/** A select list, `n_faces AS "nFaces", …`, of the known properties among `properties`; made once for each list. */
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
  return columns.length === 0 ? `${resource}_id AS "${resource}Id"` : columns.join(', ');
}

/** The record of this tenant with this id, or null. */
export async function findRecord(
  db: TenantDb,
  resource: Resource,
  id: string,
  properties: readonly string[],
): Promise<RecordRow | null> {
  if (id.includes('\0')) return null; // No id has one, and PostgreSQL takes none.
  const statement = findStatement(resource, properties);
  const found = await db.batchLoad<string, RecordRow>(statement.text, id, async (ids) => {
    const { rows } = await db.query<RecordRow & { _id: string }>(statement, [ids]);
    return new Map(rows.map((row) => [row._id, row]));
  });
  return found ?? null;
}

/** The text is made once for each list. */
function findStatement(resource: Resource, properties: readonly string[]): TenantStatement {
  let statement = statements.get(properties);
  if (statement === undefined) {
    const columns = selectList(resource, properties);
    const text = `SELECT ${columns}, ${resource}_id AS "_id" FROM ${resource}
      WHERE tenant_id = $1 AND ${resource}_id = ANY ($2)`;
    statements.set(properties, (statement = tenantStatementOf(text, { types: printableTypes })));
  }
  return statement;
}
