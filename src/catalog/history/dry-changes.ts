import type { Queryable } from '../../backing/index.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { Resource } from '../fields.ts';
import { changesOf } from './operation-changes.ts';

/**
 * What a dry run would have done. It is read from the history inside the transaction, and stored after that was
 * rolled back, so the same statements list the changes of a dry run and of a real write.
 */

/** Number of changes per statement. */
const batch = 1_000;

const keep = tenantStatement(
  'keep-dry-changes',
  `INSERT INTO dry_change (operation_id, number, tenant_id, kind, ref, before, after)
   SELECT $2, r.number, $1, r.kind, r.ref, r.before, r.after
   FROM json_to_recordset($3::json) AS r(number integer, kind text, ref text, before jsonb, after jsonb)`,
);

const changedRowsOf = { image: rowsOf('image'), video: rowsOf('video') };

function rowsOf(resource: Resource) {
  return tenantStatement(
    `${resource}s-changed-by-operation`,
    `SELECT DISTINCT row_id AS row FROM ${resource}_change WHERE tenant_id = $1 AND operation_id = $2`,
  );
}

/** Changes in the form of the history, and the rows they belong to. */
type DryChanges = Readonly<{ changes: readonly object[]; rows: ReadonlySet<number> }>;

/** Reads what an operation has done so far inside the client's transaction. */
export async function readDryChanges(
  db: TenantDb,
  client: Queryable,
  { id, resource }: Readonly<{ id: number; resource: Resource }>,
): Promise<DryChanges> {
  const changes = await changesOf(db, resource, id, client);
  const { rows } = await db.query<{ row: number }>(changedRowsOf[resource], [id], client);
  return { changes, rows: new Set(rows.map(({ row }) => row)) };
}

/** Stores what a dry run would have changed. */
export async function keepDryChanges(
  db: TenantDb,
  client: Queryable,
  id: number,
  { changes }: DryChanges,
): Promise<void> {
  const numbered = changes.map((change, number) => ({ ...change, number }));
  for (let first = 0; first < numbered.length; first += batch) {
    await db.query(keep, [id, JSON.stringify(numbered.slice(first, first + batch))], client);
  }
}
