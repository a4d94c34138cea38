import type { Database } from '../../backing/index.ts';
import { resources } from '../../catalog/index.ts';
import type { Resource } from '../../catalog/index.ts';
import type { RefusedRecord } from './document-sender.ts';

/** A record to send to Meilisearch; `change` is the last transaction that changed it. */
export type Change = Readonly<{ tenantId: number; resource: Resource; rowId: string; change: string }>;

type OutboxChanges = Readonly<{ changes: readonly Change[]; readAt: Date }>;

/** Starts recording changes. Does nothing if they are already recorded. */
export async function noteChanges({ pool }: Database): Promise<void> {
  await pool.query('INSERT INTO search_index (resource) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING', [resources]);
}

/**
 * Stops recording changes, because Meilisearch is not configured. Should it be configured again, it is filled from
 * scratch.
 */
export async function forgetChanges({ pool }: Database): Promise<void> {
  const { rowCount } = await pool.query('DELETE FROM search_index');
  if (rowCount !== 0) await pool.query('DELETE FROM search_outbox');
}

/** Reads the oldest pending changes. The records themselves must be read afterwards. */
export async function readOutbox({ pool }: Database, limit: number): Promise<OutboxChanges> {
  const { rows } = await pool.query<Change & { readAt: Date }>({
    name: 'outbox-next',
    text: `SELECT tenant_id AS "tenantId", resource, row_id::text AS "rowId", change::text AS change,
        clock_timestamp() AS "readAt"
      FROM search_outbox WHERE error IS NULL ORDER BY changed_at LIMIT $1`,
    values: [limit],
  });
  return { changes: rows, readAt: rows[0]?.readAt ?? new Date(0) };
}

/** Reads the row ids of a resource's records whose changes have not been sent, or were refused. */
export async function readChangedRowIds({ pool }: Database, resource: Resource): Promise<number[]> {
  const text = 'SELECT row_id AS id FROM search_outbox WHERE resource = $1';
  const { rows } = await pool.query<{ id: string }>(text, [resource]);
  return rows.map(({ id }) => Number(id));
}

/** Selects the rows of the changes that were read; rows that a writer has locked are left for the next round. */
const held = `SELECT o.tenant_id, o.resource, o.row_id, o.change = d.change AS is_same FROM search_outbox o
  JOIN unnest($1::int[], $2::text[], $3::bigint[], $4::text[]::xid8[]) AS d (tenant_id, resource, row_id, change)
    USING (tenant_id, resource, row_id) FOR UPDATE OF o SKIP LOCKED`;

/**
 * Removes changes that Meilisearch has. A record that changed in the meantime stays, dated no earlier than it was
 * read.
 */
const strike = `WITH held AS (${held}), counted AS (
    UPDATE search_index SET indexed_version = indexed_version + 1 WHERE resource = ANY ($2)
  ), gone AS (
    DELETE FROM search_outbox o USING held h
    WHERE h.is_same AND (o.tenant_id, o.resource, o.row_id) = (h.tenant_id, h.resource, h.row_id)
  )
  UPDATE search_outbox o SET changed_at = $5 FROM held h
  WHERE NOT h.is_same AND (o.tenant_id, o.resource, o.row_id) = (h.tenant_id, h.resource, h.row_id)`;

const mark = `WITH held AS (${held})
  UPDATE search_outbox o SET error = r.error FROM held h
  JOIN unnest($5::bigint[], $6::text[]) AS r (row_id, error) USING (row_id)
  WHERE h.is_same AND (o.tenant_id, o.resource, o.row_id) = (h.tenant_id, h.resource, h.row_id)`;

/** Removes changes that were indexed; refused ones stay, with the reason. */
export async function settleChanges(
  { pool }: Database,
  { changes, readAt }: OutboxChanges,
  refused: RefusedRecord,
): Promise<void> {
  const parts = {
    indexed: changes.filter(({ rowId }) => !refused.has(Number(rowId))),
    bad: changes.filter(({ rowId }) => refused.has(Number(rowId))),
  };
  if (parts.indexed.length > 0) await pool.query(strike, [...columnsOf(parts.indexed), readAt]);
  if (parts.bad.length > 0)
    await pool.query(mark, [...columnsOf(parts.bad), [...refused.keys()], [...refused.values()]]);
}

function columnsOf(changes: readonly Change[]): unknown[] {
  return [
    changes.map(({ tenantId }) => tenantId),
    changes.map(({ resource }) => resource),
    changes.map(({ rowId }) => rowId),
    changes.map(({ change }) => change),
  ];
}

/** Stores records that Meilisearch refused while an index was filled. */
export async function keepRefused({ pool }: Database, resource: Resource, refused: RefusedRecord): Promise<void> {
  if (refused.size === 0) return;
  await pool.query(
    `INSERT INTO search_outbox (tenant_id, resource, row_id, error)
     SELECT r.tenant_id, $1, r.row_id, e.error FROM ${resource} r
       JOIN unnest($2::bigint[], $3::text[]) AS e (row_id, error) USING (row_id)
     ON CONFLICT (tenant_id, resource, row_id) DO NOTHING`,
    [resource, [...refused.keys()], [...refused.values()]],
  );
}
