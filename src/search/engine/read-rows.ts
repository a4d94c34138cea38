import { LRUCache } from 'lru-cache';
import { printableTypes } from '../../backing/index.ts';
import { selectList } from '../../catalog/index.ts';
import type { RecordRow, Resource } from '../../catalog/index.ts';
import { tenantStatementOf } from '../../tenants/index.ts';
import type { TenantDb, TenantStatement } from '../../tenants/index.ts';
import { isBehind } from './ask.ts';
import { settingsDigest } from './attributes.ts';
import type { KnownIndex, SearchEngine } from './engine.ts';

type Statements = Readonly<Record<'always' | 'whileCurrent', TenantStatement>>;

/** Compiled documents keep their lists of properties, and each list is of one kind of record. */
const statements = new LRUCache<readonly string[], Statements>({ max: 1000 });

/** Looked at once, before any row is read. */
const isCurrent = `EXISTS (SELECT FROM search_index WHERE resource = $3 AND uid = $4 AND settings = $5 AND told = $6)
  AND NOT ${isBehind('$3', '$7')}`;

function statementsOf(resource: Resource, properties: readonly string[]): Statements {
  let found = statements.get(properties);
  if (found === undefined) {
    const text = `SELECT ${selectList(resource, properties)}, row_id AS "_row" FROM ${resource}
      WHERE tenant_id = $1 AND row_id = ANY ($2::bigint[])`;
    const statementOf = (condition: string) => tenantStatementOf(`${text}${condition}`, printableTypes);
    statements.set(properties, (found = { always: statementOf(''), whileCurrent: statementOf(` AND ${isCurrent}`) }));
  }
  return found;
}

/** The tenant's records with these numbers, in their order; one that is gone meanwhile is left out. */
export async function readRows(
  db: TenantDb,
  resource: Resource,
  rowIds: readonly number[],
  properties: readonly string[],
): Promise<RecordRow[]> {
  if (rowIds.length === 0) return [];
  return inOrder(db, statementsOf(resource, properties).always, rowIds);
}

/** The same while an index is as it is known, and knows all that the tenant has written; else none. */
export async function readRowsWhileCurrent(
  db: TenantDb,
  { maxLagMs }: SearchEngine,
  { uid, told }: KnownIndex,
  {
    resource,
    rowIds,
    properties,
  }: Readonly<{
    resource: Resource;
    rowIds: readonly number[];
    properties: readonly string[];
  }>,
): Promise<RecordRow[]> {
  const index = [resource, uid, settingsDigest[resource], told, maxLagMs];
  return inOrder(db, statementsOf(resource, properties).whileCurrent, rowIds, index);
}

async function inOrder(
  db: TenantDb,
  statement: TenantStatement,
  rowIds: readonly number[],
  more: readonly unknown[] = [],
): Promise<RecordRow[]> {
  const { rows } = await db.query<RecordRow & { _row: number }>(statement, [`{${rowIds.join(',')}}`, ...more]);
  const byRow = new Map(rows.map((row) => [row._row, row]));
  return rowIds.flatMap((rowId) => byRow.get(rowId) ?? []);
}
