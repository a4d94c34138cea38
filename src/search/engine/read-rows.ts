import { LRUCache } from 'lru-cache';
import { printableTypes } from '../../backing/index.ts';
import { selectList } from '../../catalog/index.ts';
import type { RecordRow, Resource } from '../../catalog/index.ts';
import { tenantStatementOf } from '../../tenants/index.ts';
import type { TenantDb, TenantStatement } from '../../tenants/index.ts';

/** Compiled documents keep their lists of properties, and each list is of one kind of record. */
const statements = new LRUCache<readonly string[], TenantStatement>({ max: 1000 });

function statementOf(resource: Resource, properties: readonly string[]): TenantStatement {
  let statement = statements.get(properties);
  if (statement === undefined) {
    const text = `SELECT ${selectList(resource, properties)}, row_id AS "_row" FROM ${resource}
      WHERE tenant_id = $1 AND row_id = ANY ($2::bigint[])`;
    statements.set(properties, (statement = tenantStatementOf(text, printableTypes)));
  }
  return statement;
}

/** The tenant's records with these numbers, in their order; one that is gone meanwhile is left out. */
export async function readRows(
  db: TenantDb,
  resource: Resource,
  rowIds: readonly number[],
  properties: readonly string[],
): Promise<RecordRow[]> {
  if (rowIds.length === 0) return [];
  const { rows } = await db.query<RecordRow & { _row: number }>(statementOf(resource, properties), [rowIds]);
  const byRow = new Map(rows.map((row) => [row._row, row]));
  return rowIds.flatMap((rowId) => byRow.get(rowId) ?? []);
}
