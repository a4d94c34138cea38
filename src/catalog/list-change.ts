import { ElementError } from '../lib/errors.ts';
import { excerpt } from '../lib/excerpt.ts';
import { isObject } from '../lib/is-object.ts';
import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb, TenantStatement } from '../tenants/index.ts';
import type { Queryable } from '../backing/index.ts';
import { listLimits, writableFieldsOf } from './fields.ts';
import type { Resource } from './fields.ts';

/** What an update adds to a list and removes from it, as opposed to replacing the whole list. */
export type ListChange = Readonly<{ add?: readonly string[]; remove?: readonly string[] }>;

/** Lists of a record by property; null for a list that the record does not have. */
export type Lists = Readonly<Record<string, readonly string[] | null>>;

export function isListChange(value: unknown): value is ListChange {
  return isObject(value);
}

/** @throws ElementError for an element that is both added and removed. */
export function checkListChange(name: string, { add = [], remove = [] }: ListChange): void {
  const removed = new Set(remove);
  const both = add.find((element) => removed.has(element));
  if (both === undefined) return;
  throw new ElementError('invalid_field', `${name} cannot both add and remove '${excerpt(both, 40)}'`, name);
}

/**
 * Returns the list after a change: the remaining elements keep their order, added ones follow, and an added element
 * that the list already has stays where it is.
 *
 * @throws ElementError for a list that would be too long.
 */
export function changeList(
  name: string,
  list: readonly string[] | null,
  { add = [], remove = [] }: ListChange,
): readonly string[] | null {
  const removed = new Set(remove);
  const kept = (list ?? []).filter((element) => !removed.has(element));
  const changed = [...new Set([...kept, ...add])];
  if (changed.length > listLimits.elements) {
    const message = `${name} would have ${changed.length} elements; at most ${listLimits.elements} are allowed`;
    throw new ElementError('invalid_field', message, name);
  }
  return list === null && changed.length === 0 ? null : changed;
}

const statements: Readonly<Record<Resource, TenantStatement>> = { image: listsOf('image'), video: listsOf('video') };

/** Locks the rows until the transaction ends. */
function listsOf(table: Resource): TenantStatement {
  const lists = writableFieldsOf[table].filter(({ type }) => type === 'list');
  const pairs = lists.map(({ name, property }) => `'${property}', "${name}"`).join(', ');
  return tenantStatement(
    `lists-of-${table}s`,
    `SELECT ${table}_id AS id, jsonb_build_object(${pairs}) AS lists FROM ${table}
     WHERE tenant_id = $1 AND ${table}_id = ANY($2::text[]) ORDER BY row_id FOR NO KEY UPDATE`,
  );
}

/** Returns the lists of existing records, by id, and locks the records until the caller's transaction ends. */
export async function lockLists(
  db: TenantDb,
  client: Queryable,
  resource: Resource,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Lists>> {
  const { rows } = await db.query<{ id: string; lists: Lists }>(statements[resource], [ids], client);
  return new Map(rows.map(({ id, lists }) => [id, lists]));
}
