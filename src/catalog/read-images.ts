import { LRUCache } from 'lru-cache';
import type { Image } from '../../prisma/generated/client/client.ts';
import { printableTypes } from '../backing/index.ts';
import { tenantStatementOf } from '../tenants/index.ts';
import type { TenantDb, TenantStatement } from '../tenants/index.ts';
import { imageFields } from './fields.ts';

/** An image row with the columns that were asked for, under their property names; moments are RFC 3339 text. */
export type ImageRow = Partial<Omit<Image, 'createdAt' | 'updatedAt'> & { createdAt: string; updatedAt: string }>;

/** Columns of values that are not fields of the contract. */
const besides: readonly (readonly [string, string])[] = [
  ['aiStatus', '"ai_status" AS "aiStatus"'],
  ['provenance', '"provenance" AS "provenance"'],
  ['ai', '"row_id" AS "rowId"'],
];
const columnOf = new Map([
  ...imageFields.map(({ property, name }) => [property, `"${name}" AS "${property}"`] as const),
  ...besides,
]);
const statements = new LRUCache<readonly string[], TenantStatement>({ max: 1000 });

/** A select list, `"n_faces" AS "nFaces", …`, of the known properties among `properties`. */
export function selectList(properties: readonly string[]): string {
  const columns = properties.flatMap((property) => {
    const column = columnOf.get(property);
    return column === undefined ? [] : [column];
  });
  return columns.length === 0 ? '"image_id" AS "imageId"' : columns.join(', ');
}

/** The image of this tenant with this id, or null. */
export async function findImage(db: TenantDb, id: string, properties: readonly string[]): Promise<ImageRow | null> {
  if (id.includes('\0')) return null; // No id has one, and PostgreSQL takes none.
  const statement = findStatement(properties);
  const found = await db.gather<string, ImageRow>(statement.text, id, async (ids) => {
    const { rows } = await db.query<ImageRow & { _id: string }>(statement, [ids]);
    return new Map(rows.map((row) => [row._id, row]));
  });
  return found ?? null;
}

/** Compiled documents keep their lists of properties, so the text is made once for each. */
function findStatement(properties: readonly string[]): TenantStatement {
  let statement = statements.get(properties);
  if (statement === undefined) {
    const columns = selectList(properties);
    const text = `SELECT ${columns}, image_id AS "_id" FROM image WHERE tenant_id = $1 AND image_id = ANY ($2)`;
    statements.set(properties, (statement = tenantStatementOf(text, printableTypes)));
  }
  return statement;
}
