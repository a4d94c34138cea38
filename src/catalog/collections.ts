import type { PoolClient } from 'pg';
import { isDuplicate } from '../backing/index.ts';
import { AppError } from '../lib/errors.ts';
import { givenNameRule, isGivenName } from '../lib/given-name.ts';
import { readCount, readPage, tenantStatement } from '../tenants/index.ts';
import type { Page, PageAsked, TenantDb } from '../tenants/index.ts';
import type { Resource } from './fields.ts';
import { naturalOrder } from './natural-order.ts';

/** A list of records in an order that callers choose; images and videos are ordered separately. */
export type Collection = Readonly<{ name: string; images: number; videos: number; createdAt: Date; updatedAt: Date }>;

/** The result of a change to a collection. */
export type CollectionChange = Readonly<{
  collection: Collection;
  /** Records that were added, moved or removed. */
  changed: number;
  /** Ids that no record has. */
  missing: readonly string[];
}>;

/** Maximum number of collections of a tenant, and of records of one kind in a collection. */
export const collectionLimits = { collections: 1000, records: 10_000 } as const;

const countOf = (resource: Resource) =>
  `(SELECT count(*) FROM collection_${resource} m WHERE m.tenant_id = $1 AND m.collection_id = c.id)::int`;
const columns = `c.name, ${countOf('image')} AS images, ${countOf('video')} AS videos, c.created_at AS "createdAt", c.updated_at AS "updatedAt"`;

const list = tenantStatement(
  'list-collections',
  `SELECT ${columns} FROM collection c WHERE c.tenant_id = $1 ORDER BY c.name ${naturalOrder} LIMIT $2 OFFSET $3`,
);
const count = tenantStatement(
  'count-collections',
  'SELECT count(*)::int AS count FROM collection WHERE tenant_id = $1',
);
const find = tenantStatement(
  'find-collection',
  `SELECT ${columns} FROM collection c WHERE c.tenant_id = $1 AND c.name = $2`,
);
const insert = tenantStatement(
  'insert-collection',
  `INSERT INTO collection AS c (tenant_id, name) VALUES ($1, $2) ON CONFLICT (tenant_id, name) DO NOTHING RETURNING ${columns}`,
);
const rename = tenantStatement(
  'rename-collection',
  `UPDATE collection c SET name = $3, updated_at = now() WHERE c.tenant_id = $1 AND c.name = $2 RETURNING ${columns}`,
);
const remove = tenantStatement('delete-collection', 'DELETE FROM collection WHERE tenant_id = $1 AND name = $2');
/** Locks the collection, so that concurrent changes to it wait for each other. */
const lock = tenantStatement(
  'lock-collection',
  'UPDATE collection SET updated_at = now() WHERE tenant_id = $1 AND name = $2 RETURNING id',
);

const statements = { image: statementsOf('image'), video: statementsOf('video') };

function statementsOf(resource: Resource) {
  const members = `collection_${resource}`;
  const missing = `ARRAY(SELECT id FROM unnest($3::text[]) AS id WHERE NOT EXISTS (
    SELECT FROM ${resource} r WHERE r.tenant_id = $1 AND r.${resource}_id = id)) AS missing`;
  return {
    /**
     * Places the records $3 in the collection $2 at position $4 (null: the end), in this order. If $5 is true, places
     * those that the collection lacks, otherwise those that it already has. Renumbers all records, but only writes
     * rows whose number changes.
     */
    place: tenantStatement(
      `place-${resource}s-in-collection`,
      `WITH named AS (
         SELECT r.row_id, min(u.number) AS number FROM unnest($3::text[]) WITH ORDINALITY AS u(id, number)
         JOIN ${resource} r ON r.tenant_id = $1 AND r.${resource}_id = u.id GROUP BY r.row_id
       ), held AS (
         SELECT row_id, position FROM ${members} WHERE tenant_id = $1 AND collection_id = $2
       ), given AS (
         SELECT * FROM named n WHERE EXISTS (SELECT FROM held h WHERE h.row_id = n.row_id) <> $5::boolean
       ), rest AS (
         SELECT row_id, row_number() OVER (ORDER BY position, row_id) - 1 AS number FROM held
         WHERE row_id NOT IN (SELECT row_id FROM given)
       ), ordered AS (
         SELECT row_id, row_number() OVER (ORDER BY part, number) - 1 AS position FROM (
           SELECT row_id, CASE WHEN $4::int IS NULL OR number < $4 THEN 0 ELSE 2 END AS part, number FROM rest
           UNION ALL SELECT row_id, 1, number FROM given
         ) AS each
       ), written AS (
         INSERT INTO ${members} AS m (tenant_id, collection_id, row_id, position)
         SELECT $1, $2, row_id, position FROM ordered
         ON CONFLICT (tenant_id, collection_id, row_id) DO UPDATE SET position = EXCLUDED.position
           WHERE m.tenant_id = $1 AND m.position <> EXCLUDED.position
       )
       SELECT (SELECT count(*) FROM given)::int AS changed, (SELECT count(*) FROM ordered)::int AS total, ${missing}`,
    ),
    remove: tenantStatement(
      `remove-${resource}s-from-collection`,
      `WITH removed AS (
         DELETE FROM ${members} m USING ${resource} r
         WHERE m.tenant_id = $1 AND m.collection_id = $2 AND r.tenant_id = $1 AND r.row_id = m.row_id
           AND r.${resource}_id = ANY($3::text[])
         RETURNING m.row_id
       )
       SELECT (SELECT count(*) FROM removed)::int AS changed, ${missing}`,
    ),
  };
}

/** Lists the collections of a tenant, ordered by name. */
export function listCollections(db: TenantDb, page: PageAsked): Promise<Page<Collection>> {
  return readPage(db, { list, count }, [], page);
}

/** Finds a collection by its name; null if there is none. */
export async function findCollection(db: TenantDb, name: string): Promise<Collection | null> {
  if (!isGivenName(name)) return null;
  return (await db.query<Collection>(find, [name])).rows[0] ?? null;
}

/**
 * Creates an empty collection. @throws AppError `invalid_argument` for a name that is invalid or taken, `quota_exceeded`.
 */
export async function createCollection(db: TenantDb, name: string): Promise<Collection> {
  checkName(name, 'name');
  if ((await readCount(db, count)) >= collectionLimits.collections) {
    const hint = 'Delete one that is no longer used';
    throw new AppError('quota_exceeded', `A tenant has at most ${collectionLimits.collections} collections`, { hint });
  }
  const [made] = (await db.query<Collection>(insert, [name])).rows;
  return made ?? refuseTaken(name, 'name');
}

/** Renames a collection. @throws AppError `not_found`, or `invalid_argument` for a name that is taken. */
export async function renameCollection(db: TenantDb, name: string, to: string): Promise<Collection> {
  checkName(to, 'to');
  if (!isGivenName(name)) return refuseUnknown(name);
  const { rows } = await db.query<Collection>(rename, [name, to]).catch((error: unknown) => {
    if (isDuplicate(error)) refuseTaken(to, 'to');
    throw error;
  });
  return rows[0] ?? refuseUnknown(name);
}

/** Deletes a collection, but none of its records. Returns the deleted collection; null if none has that name. */
export async function deleteCollection(db: TenantDb, name: string): Promise<Collection | null> {
  const found = await findCollection(db, name);
  if (found !== null) await db.query(remove, [name]);
  return found;
}

/** Records of one kind, in the order in which to place them. */
export type Named = Readonly<{ name: string; resource: Resource; ids: readonly string[] }>;

/**
 * Adds records to a collection, or moves those that it already has, to a position counted from 0; without a position,
 * to the end.
 *
 * @throws AppError `not_found` for an unknown collection, `quota_exceeded` for one that would become too large.
 */
export function placeInCollection(
  db: TenantDb,
  { name, resource, ids, at, adds }: Named & Readonly<{ at: number | null; adds: boolean }>,
): Promise<CollectionChange> {
  if (at !== null && at < 0) throw new AppError('invalid_argument', 'at must be 0 or more', { argument: 'at' });
  return change(db, name, async (client, id) => {
    type Placed = { changed: number; total: number; missing: string[] };
    const { rows } = await db.query<Placed>(statements[resource].place, [id, ids, at, adds], client);
    const { changed, total, missing } = rows[0] as Placed;
    if (changed > 0 && total > collectionLimits.records) {
      const message = `A collection has at most ${collectionLimits.records} ${resource}s`;
      throw new AppError('quota_exceeded', message, { hint: 'Make a second collection' });
    }
    return { changed, missing };
  });
}

/** Removes records from a collection. @throws AppError `not_found` for an unknown collection. */
export function removeFromCollection(db: TenantDb, { name, resource, ids }: Named): Promise<CollectionChange> {
  return change(db, name, async (client, id) => {
    type Removed = { changed: number; missing: string[] };
    const { rows } = await db.query<Removed>(statements[resource].remove, [id, ids], client);
    return rows[0] as Removed;
  });
}

function change(
  db: TenantDb,
  name: string,
  work: (client: PoolClient, id: number) => Promise<Omit<CollectionChange, 'collection'>>,
): Promise<CollectionChange> {
  return db.transaction(async (client) => {
    const [locked] = isGivenName(name) ? (await db.query<{ id: number }>(lock, [name], client)).rows : [];
    if (locked === undefined) return refuseUnknown(name);
    const changed = await work(client, locked.id);
    const { rows } = await db.query<Collection>(find, [name], client);
    return { ...changed, collection: rows[0] as Collection };
  });
}

function checkName(name: string, argument: string): void {
  if (!isGivenName(name)) throw new AppError('invalid_argument', givenNameRule, { argument });
}

function refuseTaken(name: string, argument: string): never {
  const hint = 'Choose another name';
  throw new AppError('invalid_argument', `A collection '${name}' already exists`, { argument, hint });
}

function refuseUnknown(name: string): never {
  const hint = 'Write the name as it was given, or create the collection first';
  throw new AppError('not_found', `There is no collection '${name}'`, { argument: 'name', hint });
}
