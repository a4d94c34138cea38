import { AppError } from '../../lib/errors.ts';
import { printableTypes } from '../../backing/index.ts';
import { tenantStatement, tenantStatementOf } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { Resource } from '../fields.ts';
import { selectList } from '../read-records.ts';
import type { RecordRow } from '../read-records.ts';
import { recordOf, rowsOf, stateAfter } from './state.ts';
import { canBeId } from '../record-id.ts';

const kept = tenantStatement(
  'days-of-history',
  `SELECT now() - make_interval(days => COALESCE(history_days, $2::integer)) AS since FROM tenant WHERE id = $1`,
);

/**
 * @param days how many days changes are kept, unless the tenant sets its own number
 * @throws AppError `invalid_argument` for a moment before the history begins, and for one in the future.
 */
export async function checkMoment(db: TenantDb, at: Date, days: number): Promise<void> {
  if (at.getTime() > Date.now() + clockSkewMs) {
    throw new AppError('invalid_argument', 'at must not be in the future', { argument: 'at' });
  }
  const { rows } = await db.query<{ since: Date }>(kept, [days]);
  const since = rows[0]?.since;
  if (since === undefined || at >= since) return;
  const message = `at is before the history, which reaches back to ${since.toISOString()}`;
  throw new AppError('invalid_argument', message, { argument: 'at', hint: 'HISTORY_DAYS says how long it is kept' });
}

/** How far ahead a client's clock may be, in milliseconds. */
const clockSkewMs = 60_000;

/**
 * SELECT of the row that had the id `$2` at the moment `$3`, with its last change up to then (0 if none is kept).
 * This is either a row whose next change is not its creation, or one without later changes whose record exists.
 */
export function rowAt(resource: Resource): string {
  const changes = `FROM ${resource}_change c WHERE c.tenant_id = $1 AND c.row_id = found.row_id`;
  return `SELECT found.row_id, COALESCE(last.id, 0) AS last, last.at, next.id IS NOT NULL AS has_changed
    FROM (${rowsOf(resource, '$2')}) AS found
    LEFT JOIN LATERAL (SELECT c.id, c.at ${changes} AND c.at <= $3 ORDER BY c.id DESC LIMIT 1) AS last ON true
    LEFT JOIN LATERAL (SELECT c.id, c.action ${changes} AND c.id > COALESCE(last.id, 0) ORDER BY c.id LIMIT 1) AS next ON true
    WHERE CASE WHEN next.id IS NOT NULL THEN next.action <> 'created'
          ELSE EXISTS (SELECT FROM ${resource} i WHERE i.tenant_id = $1 AND i.row_id = found.row_id AND i.created_at <= $3) END`;
}

/** Returns the tenant's record as it was at a moment; null if none had this id. */
export async function findRecordAt(
  db: TenantDb,
  resource: Resource,
  { id, at }: Readonly<{ id: string; at: Date }>,
  properties: readonly string[],
): Promise<RecordRow | null> {
  if (!canBeId(id)) return null;
  // Of the analysis and the location of the preview, only the present state is known.
  const columns = selectList(
    resource,
    properties.filter((property) => property !== 'ai' && property !== 'proposals'),
  );
  const statement = tenantStatementOf(
    `SELECT ${columns} FROM (
       SELECT r.* FROM (${rowAt(resource)}) AS a
       CROSS JOIN LATERAL ${stateAfter(resource, 'a.row_id', 'a.last')} AS s
       CROSS JOIN LATERAL jsonb_populate_record(NULL::${resource}, ${recordOf('s.state')} || CASE WHEN a.has_changed
         THEN jsonb_build_object('updated_at', COALESCE(a.at, (s.state ->> 'created_at')::timestamptz)) ELSE '{}' END) AS r
       WHERE (s.state ->> 'created_at')::timestamptz <= $3
     ) AS ${resource}`,
    { types: printableTypes },
  );
  const { rows } = await db.query<RecordRow>(statement, [id, at]);
  return rows[0] ?? null;
}
