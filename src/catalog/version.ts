import { AppError, ElementError } from '../lib/errors.ts';
import type { Queryable } from '../backing/index.ts';
import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import type { Resource } from './fields.ts';
import { canBeId } from './record-id.ts';

/**
 * The versions of a record that a write accepts: these, any version of an existing record, or none, so that it must
 * not exist.
 */
export type IfMatch = '*' | 'absent' | readonly string[];

/** Maximum number of versions that a write may list. */
const maxVersions = 20;

/**
 * SQL for the version of a row. It covers what callers have written, not what analyses have found in the file since.
 * Each write that changes something is later than the previous one (`laterThan`), and a record that is created again
 * has another creation time.
 */
export function versionOf(row: string): string {
  const hex = (column: string) => `to_hex((extract(epoch FROM ${row}${column}) * 1000)::bigint)`;
  return `${hex('created_at')} || '-' || ${hex('updated_at')}`;
}

/** SQL for the time of a write to an existing row. Two writes within a millisecond get different times. */
export function laterThan(row: string): string {
  return `GREATEST(now(), ${row}updated_at + interval '1 millisecond')`;
}

/** Reads `If-Match`: entity tags whose part before the dot is a version, or bare versions. */
export function readIfMatch(text: string): IfMatch {
  const trimmed = text.trim();
  if (trimmed === '*') return '*';
  const tags = trimmed.includes('"') ? [...trimmed.matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? '') : [trimmed];
  return tags.map((tag) => tag.split('.', 1)[0] ?? '').slice(0, maxVersions);
}

/**
 * Reads `If-None-Match`. @throws AppError `invalid_argument` for tags: only `*` is supported, which requires a new
 * record.
 */
export function readIfNoneMatch(text: string): IfMatch {
  if (text.trim() === '*') return 'absent';
  const hint = 'Send * or a version as If-Match';
  throw new AppError('invalid_argument', 'If-None-Match of a write must be *', { argument: 'ifNoneMatch', hint });
}

/** Whether a write accepts a record of this version. */
export function meetsVersion(ifMatch: IfMatch | undefined, version: string): boolean {
  if (ifMatch === 'absent') return false;
  return ifMatch === undefined || ifMatch === '*' || ifMatch.includes(version);
}

/** The error for a write that is not applied, because the record is not in the state that its caller expected. */
export function preconditionFailed(ifMatch: IfMatch | undefined): ElementError {
  return new ElementError('precondition_failed', reasonOf(ifMatch), 'id');
}

/** Which condition of a write was not met. */
function reasonOf(ifMatch: IfMatch | undefined): string {
  return ifMatch === 'absent' ? 'a record with this id exists' : 'the record does not match If-Match';
}

const found = { image: findVersion('image'), video: findVersion('video') };

function findVersion(table: Resource) {
  return tenantStatement(
    `version-of-${table}`,
    `SELECT ${versionOf('')} AS version FROM ${table} WHERE tenant_id = $1 AND ${table}_id = $2`,
  );
}

/** Returns the current version of a record; null if it does not exist. */
export async function findRecordVersion(
  db: TenantDb,
  resource: Resource,
  id: string,
  client?: Queryable,
): Promise<string | null> {
  if (!canBeId(id)) return null;
  const { rows } = await db.query<{ version: string }>(found[resource], [id], client);
  return rows[0]?.version ?? null;
}
