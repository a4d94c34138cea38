import { canBeId, findCarriedAnalyses, findRecords } from '../catalog/index.ts';
import type { Resource } from '../catalog/index.ts';
import { AppError } from '../lib/errors.ts';
import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb, TenantStatement } from '../tenants/index.ts';
import { exportedColumns } from './columns.ts';
import { valuesOf } from './text-sink.ts';

/** A record with its analysis: a line of an export in the format `analyzed`. */
type AnalyzedRecord = Readonly<Record<string, unknown>>;

/** Records in the order of their creation, and the cursor of the next page; null at the end. */
export type AnalyzedPage = Readonly<{ results: readonly AnalyzedRecord[]; cursor: string | null }>;

/** Selects a page by reading the index of the newest records backwards. */
function pageOf(table: Resource): TenantStatement {
  const id = `${table}_id`;
  return tenantStatement(
    `analyzed-page-of-${table}s`,
    `SELECT ${id} AS id, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at FROM ${table}
     WHERE tenant_id = $1 AND created_at >= $2::timestamptz AND (created_at > $2::timestamptz OR ${id} < $3 OR $3 IS NULL)
     ORDER BY created_at ASC, ${id} DESC LIMIT $4`,
  );
}

const pages: Readonly<Record<Resource, TenantStatement>> = { image: pageOf('image'), video: pageOf('video') };
const columns = { image: exportedColumns('image', null), video: exportedColumns('video', null) };
const properties = {
  image: columns.image.map(({ property }) => property),
  video: columns.video.map(({ property }) => property),
};

type Place = Readonly<{ at: string; id: string | null }>;
const start: Place = { at: '-infinity', id: null };

/** Returns a page of all records of a kind. @throws AppError `invalid_argument` for an invalid cursor */
export async function analyzedPage(
  db: TenantDb,
  resource: Resource,
  { after, limit }: Readonly<{ after: string | null; limit: number }>,
): Promise<AnalyzedPage> {
  const place = after === null ? start : placeOf(after);
  const { rows } = await db.query<{ id: string; at: string }>(pages[resource], [place.at, place.id, limit + 1]);
  const page = rows.slice(0, limit);
  const ids = page.map(({ id }) => id);
  const records = await findRecords(db, resource, ids, properties[resource]);
  const analyses = await findCarriedAnalyses(db, resource, ids);
  const results = ids.flatMap((id) => {
    const [record, analysis] = [records.get(id), analyses.get(id)];
    if (record === undefined || analysis === undefined) return []; // Deleted meanwhile.
    return [{ ...Object.fromEntries(valuesOf(record, columns[resource])), analysis }];
  });
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { results, cursor: last === undefined ? null : cursorOf(last) };
}

function cursorOf({ at, id }: Place): string {
  return Buffer.from(JSON.stringify([at, id])).toString('base64url');
}

function placeOf(cursor: string): Place {
  try {
    const [at, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    const isMoment =
      typeof at === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/.test(at) && !Number.isNaN(Date.parse(at));
    if (isMoment && typeof id === 'string' && canBeId(id)) return { at, id };
  } catch {
    // An invalid cursor.
  }
  throw new AppError('invalid_argument', 'Unknown cursor', { argument: 'after' });
}
