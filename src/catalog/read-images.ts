import { LRUCache } from 'lru-cache';
import type { Image } from '../../prisma/generated/client/client.ts';
import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb, TenantStatement } from '../tenants/index.ts';
import { imageFields } from './fields.ts';

/** An image row with the columns that were asked for, under their property names. */
export type ImageRow = Partial<Image>;

/** Sets of columns whose statement stays prepared; a catalog's clients use a handful. */
const preparedSets = 200;
const columnOf = new Map(imageFields.map(({ property, name }) => [property, name]));
const statements = new LRUCache<string, TenantStatement>({ max: preparedSets });

/** A select list, `"n_faces" AS "nFaces", …`, of the known properties among `properties`. */
export function selectList(properties: readonly string[]): string {
  const columns = properties.flatMap((property) => {
    const column = columnOf.get(property);
    return column === undefined ? [] : [`"${column}" AS "${property}"`];
  });
  return columns.length === 0 ? '"image_id" AS "imageId"' : columns.join(', ');
}

/** The image of this tenant with this id, or null. */
export async function findImage(db: TenantDb, id: string, properties: readonly string[]): Promise<ImageRow | null> {
  if (id.includes('\0')) return null; // No id has one, and PostgreSQL takes none.
  const { rows } = await db.query<ImageRow>(findStatement(properties), [id]);
  return rows[0] ?? null;
}

function findStatement(properties: readonly string[]): TenantStatement {
  const key = properties.join();
  let statement = statements.get(key);
  if (statement === undefined) {
    const columns = selectList(properties);
    const text = `SELECT ${columns} FROM image WHERE tenant_id = $1 AND image_id = $2`;
    // Only so many names: each stays prepared on each connection for as long as it lives.
    const name = statements.size < preparedSets ? `find-image-${statements.size}` : '';
    statement = tenantStatement(name, text);
    statements.set(key, statement);
  }
  return statement;
}
