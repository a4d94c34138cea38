import { LRUCache } from 'lru-cache';
import { printableTypes } from '../../backing/index.ts';
import { selectList } from '../../catalog/index.ts';
import type { RecordRow, Resource } from '../../catalog/index.ts';
import { tenantStatementOf } from '../../tenants/index.ts';
import type { TenantDb, TenantStatement } from '../../tenants/index.ts';
import { isBehind } from './ask.ts';
import { settingsDigest } from './attributes.ts';
import type { KnownIndex, MeilisearchBackend } from './backend.ts';

/**
 * Whether the index is unchanged and has everything that the tenant has written; evaluated once, before any row is
 * read.
 */
const isCurrent = `EXISTS (SELECT FROM search_index WHERE resource = $3 AND uid = $4 AND settings = $5 AND indexed_version = $6)
  AND NOT ${isBehind('$3', '$7')}`;

const conditions = { always: '', whileCurrent: ` AND ${isCurrent}` } as const;
type When = keyof typeof conditions;

/** Compiled statements per list of properties; each list belongs to one resource. */
const statements: Readonly<Record<When, LRUCache<readonly string[], TenantStatement>>> = {
  always: new LRUCache({ max: 1000 }),
  whileCurrent: new LRUCache({ max: 1000 }),
};

function statementOf({ resource, properties }: WantedRows, when: When): TenantStatement {
  let statement = statements[when].get(properties);
  if (statement === undefined) {
    const text = `SELECT ${selectList(resource, properties)}, row_id AS "_row" FROM ${resource}
      WHERE tenant_id = $1 AND row_id = ANY ($2::bigint[])${conditions[when]}`;
    statements[when].set(properties, (statement = tenantStatementOf(text, { types: printableTypes, isRead: true })));
  }
  return statement;
}

/** Records by their row ids, and the properties wanted. */
type WantedRows = Readonly<{ resource: Resource; rowIds: readonly number[]; properties: readonly string[] }>;

/** Reads the tenant's records with these row ids, in this order; records deleted in the meantime are left out. */
export async function readRows(db: TenantDb, wanted: WantedRows): Promise<RecordRow[]> {
  return wanted.rowIds.length === 0 ? [] : inOrder(db, wanted, 'always');
}

/** The same, but returns nothing unless an index is unchanged and has everything that the tenant has written. */
export async function readRowsWhileCurrent(
  db: TenantDb,
  { maxLagMs }: MeilisearchBackend,
  { uid, indexedVersion }: KnownIndex,
  wanted: WantedRows,
): Promise<RecordRow[]> {
  const { resource } = wanted;
  return inOrder(db, wanted, 'whileCurrent', [resource, uid, settingsDigest[resource], indexedVersion, maxLagMs]);
}

async function inOrder(
  db: TenantDb,
  wanted: WantedRows,
  when: When,
  more: readonly unknown[] = [],
): Promise<RecordRow[]> {
  const { rowIds } = wanted;
  const { rows } = await db.query<RecordRow & { _row: number }>(statementOf(wanted, when), [
    `{${rowIds.join(',')}}`,
    ...more,
  ]);
  const byRow = new Map(rows.map((row) => [row._row, row]));
  return rowIds.flatMap((rowId) => byRow.get(rowId) ?? []);
}
