import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb, TenantStatement } from '../tenants/index.ts';
import type { Queryable } from '../backing/index.ts';
import type { FieldValue } from './check-element.ts';
import { lockableFieldsOf } from './fields.ts';
import type { Resource } from './fields.ts';
import { changeList } from './list-change.ts';
import { parsePartialDate } from './partial-date.ts';
import { versionOf } from './version.ts';

/**
 * Values of a record by property: everything that callers write, except the source and the locks, which stay with
 * their record.
 */
export type OwnValues = Readonly<Record<string, Exclude<FieldValue, object> | readonly string[]>>;

/** A record that is locked for the caller's transaction. */
type LockedRecord = Readonly<{
  values: OwnValues;
  version: string;
  /** Whether the operation that locks it was also the last to write it. */
  isOwn: boolean;
}>;

const statements: Readonly<Record<Resource, TenantStatement>> = { image: valuesOf('image'), video: valuesOf('video') };

/** Locks the rows until the transaction ends. */
function valuesOf(table: Resource): TenantStatement {
  const pairs = lockableFieldsOf[table].map(({ name, property }) => `'${property}', "${name}"`);
  return tenantStatement(
    `values-of-${table}s`,
    `SELECT ${table}_id AS id, jsonb_build_object(${pairs.join(', ')}) AS values, ${versionOf('')} AS version,
       COALESCE((SELECT c.operation_id FROM ${table}_change c WHERE c.tenant_id = $1 AND c.row_id = ${table}.row_id
         ORDER BY c.id DESC LIMIT 1)::text = split_part(current_setting('vitrine.operation', true), ':', 1), false) AS "isOwn"
     FROM ${table}
     WHERE tenant_id = $1 AND ${table}_id = ANY($2::text[]) ORDER BY row_id FOR NO KEY UPDATE`,
  );
}

/** Returns the existing records, by id, and locks them until the caller's transaction ends. */
export async function lockRecords(
  db: TenantDb,
  client: Queryable,
  resource: Resource,
  ids: readonly string[],
): Promise<Map<string, LockedRecord>> {
  const { rows } = await db.query<LockedRecord & { id: string }>(statements[resource], [ids], client);
  return new Map(rows.map(({ id, ...record }) => [id, record]));
}

/**
 * Returns what a record takes over from another: values of fields that it lacks, and elements that its lists lack.
 *
 * @throws ElementError for a list that would be too long.
 */
export function takeOver(resource: Resource, kept: OwnValues, other: OwnValues): OwnValues {
  const taken: Record<string, OwnValues[string]> = {};
  for (const { name, property, type } of lockableFieldsOf[resource]) {
    const [own, its] = [kept[property] ?? null, other[property] ?? null];
    if (isBlank(its)) continue;
    if (type === 'list') {
      const list = changeList(name, own as readonly string[] | null, { add: its as readonly string[] });
      if (list !== null && list.length > ((own as readonly string[] | null) ?? []).length) taken[property] = list;
    } else if (isBlank(own)) {
      Object.assign(taken, { [property]: its }, type === 'date' && periodOf(its as string));
    }
  }
  return taken;
}

function isBlank(value: OwnValues[string]): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function periodOf(date: string) {
  const period = parsePartialDate(date);
  return { dateStart: period?.start ?? null, dateEnd: period?.end ?? null };
}
