import type { Queryable } from '../../backing/index.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb, TenantStatement } from '../../tenants/index.ts';
import { forgetAnalyses } from '../analysis.ts';
import type { Resource } from '../fields.ts';
import { laterThan } from '../version.ts';
import { forgetVideoAnalyses } from '../video-analysis.ts';
import { historyColumnsOf } from './functions.ts';
import type { Reversal } from './revert.ts';
import { provenancePrefix, recordOf } from './state.ts';
import type { State } from './state.ts';

/** A record that was restored, or whose file was, with the state of its analysis. */
type Reverted = Readonly<{ id: string; aiStatus: string | null }>;

const deletion = (resource: Resource) => `DELETE FROM ${resource} WHERE tenant_id = $1 AND row_id = ANY($2::bigint[])`;

/** Restores a record into its former row, with a new version. */
function insertion(resource: Resource): string {
  const columns = [`row_id`, `${resource}_id`, 'created_at', 'provenance', ...historyColumnsOf[resource]];
  return `INSERT INTO ${resource} (tenant_id, updated_at, ${columns.map((name) => `"${name}"`).join(', ')})
    SELECT $1, ${laterThan('p.')}, ${columns.map((name) => `p."${name}"`).join(', ')}
    FROM json_array_elements($2::json) AS e, LATERAL (SELECT e.value::jsonb -> 'state' AS state) AS s,
      LATERAL jsonb_populate_record(NULL::${resource}, ${recordOf('s.state')}) AS p
    RETURNING ${resource}_id AS id, ai_status AS "aiStatus"`;
}

function update(resource: Resource): string {
  const set = historyColumnsOf[resource].map(
    (name) => `"${name}" = CASE WHEN r.state ? '${name}' THEN p."${name}" ELSE i."${name}" END`,
  );
  return `UPDATE ${resource} i SET ${set.join(', ')}, updated_at = ${laterThan('i.')},
      provenance = (SELECT jsonb_object_agg(key, value) FROM jsonb_each(COALESCE(i.provenance, '{}') || r.provenance) WHERE value <> 'null')
    FROM json_to_recordset($2::json) AS r("row" bigint, state jsonb, provenance jsonb),
      LATERAL jsonb_populate_record(NULL::${resource}, r.state) AS p
    WHERE i.tenant_id = $1 AND i.row_id = r."row" RETURNING i.${resource}_id AS id, i.ai_status AS "aiStatus"`;
}

const hasCollection = 'EXISTS (SELECT FROM collection c WHERE c.tenant_id = $1 AND c.id = p.collection_id)';

/** Tables whose rows depend on records, with the condition for restoring such a row, `p`. */
const hanging: Readonly<Record<Resource, Readonly<Record<string, string>>>> = {
  image: {
    image_analysis: 'true',
    image_fingerprint: 'true',
    image_details: 'true',
    // A verdict is kept for both of its images; whichever is restored last brings it back.
    pair_verdict: `(SELECT count(*) FROM image i WHERE i.tenant_id = $1 AND i.row_id IN (p.low_row, p.high_row)) = 2`,
    duplicate_member: `EXISTS (SELECT FROM duplicate_search s WHERE s.tenant_id = $1 AND s.operation_id = p.operation_id)`,
    collection_image: hasCollection,
  },
  video: { video_analysis: 'true', video_frame: 'true', collection_video: hasCollection },
};

/** The attachments of the rows `$2`, each from the operation in `$3` that removed them. */
const attachments = (resource: Resource, kind: string) =>
  `unnest($2::bigint[], $3::bigint[]) AS w(row_id, operation_id) JOIN record_attachment a
   ON a.tenant_id = $1 AND a.resource = '${resource}' AND a.row_id = w.row_id AND a.operation_id = w.operation_id AND a.kind = '${kind}'`;

const returning = (resource: Resource) =>
  Object.entries(hanging[resource]).map(([kind, condition]) =>
    tenantStatement(
      `return-${kind}`,
      `INSERT INTO ${kind} SELECT p.* FROM ${attachments(resource, kind)}, LATERAL jsonb_populate_record(NULL::${kind}, a.content) AS p
       WHERE ${condition} ON CONFLICT DO NOTHING`,
    ),
  );

/** Restores groups, with as many members as exist again. */
const regroup = tenantStatement(
  'return-duplicate-groups',
  `INSERT INTO duplicate_group AS g (operation_id, number, tenant_id, size)
   SELECT m.operation_id, m.number, $1, count(*) FROM duplicate_member m
   WHERE m.tenant_id = $1 AND (m.operation_id, m.number) IN (
     SELECT (a.content ->> 'operation_id')::bigint, (a.content ->> 'number')::integer FROM ${attachments('image', 'duplicate_member')})
   GROUP BY m.operation_id, m.number HAVING count(*) > 1
   ON CONFLICT (operation_id, number) DO UPDATE SET size = EXCLUDED.size WHERE g.tenant_id = $1`,
);

const statements = { image: statementsOf('image'), video: statementsOf('video') };

function statementsOf(resource: Resource) {
  return {
    remove: tenantStatement(`take-back-${resource}s`, deletion(resource)),
    insert: tenantStatement(`bring-back-${resource}s`, insertion(resource)),
    update: tenantStatement(`put-back-${resource}s`, update(resource)),
    returning: returning(resource),
  };
}

const forgetOf = { image: forgetAnalyses, video: forgetVideoAnalyses } as const;

/**
 * Applies planned reversals in the caller's transaction: first the deletions that make room, then records, then their
 * attachments.
 */
export async function applyReversals(
  db: TenantDb,
  client: Queryable,
  resource: Resource,
  reversals: readonly Reversal[],
): Promise<readonly Reverted[]> {
  const own = statements[resource];
  const of = (act: Reversal['act']) => reversals.filter((reversal) => reversal.act === act);
  const [deleted, inserted, updated] = [of('delete'), of('insert'), of('update')];
  const room = [...deleted.map(({ row }) => row), ...inserted.flatMap(({ replaces }) => replaces ?? [])];
  if (room.length > 0) await db.query(own.remove, [room], client);
  const back = inserted.length === 0 ? [] : await rowsOf(own.insert, inserted);
  const refiled = updated.filter(({ withFile }) => withFile);
  const refiledIds = new Set(refiled.map(({ id }) => id));
  if (refiled.length > 0) await forgetOf[resource](db, client, [...refiledIds]);
  const put = updated.length === 0 ? [] : await rowsOf(own.update, updated.map(toRow));
  await bringAttachments(db, client, resource, [...inserted, ...refiled]);
  return [...back, ...put.filter(({ id }) => refiledIds.has(id))];

  async function rowsOf(statement: TenantStatement, elements: readonly object[]): Promise<readonly Reverted[]> {
    return (await db.query<Reverted>(statement, [JSON.stringify(elements)], client)).rows;
  }
}

/** The row to write: the table has the provenance of all values in a single column. */
function toRow({ row, state }: Reversal): Readonly<{ row: number; state: State; provenance: State }> {
  const provenance = Object.entries(state).flatMap(([key, value]) =>
    key.startsWith(provenancePrefix) ? [[key.slice(provenancePrefix.length), value] as const] : [],
  );
  return { row, state, provenance: Object.fromEntries(provenance) };
}

async function bringAttachments(
  db: TenantDb,
  client: Queryable,
  resource: Resource,
  reversals: readonly Reversal[],
): Promise<void> {
  const attached = reversals.filter(({ attachedTo }) => attachedTo !== null);
  if (attached.length === 0) return;
  const values = [attached.map(({ row }) => row), attached.map(({ attachedTo }) => attachedTo)];
  for (const statement of statements[resource].returning) await db.query(statement, values, client);
  if (resource === 'image') await db.query(regroup, values, client);
}
