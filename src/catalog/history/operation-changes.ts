import { readPage, tenantStatement } from '../../tenants/index.ts';
import type { Queryable } from '../../backing/index.ts';
import type { Page, PageAsked, TenantDb } from '../../tenants/index.ts';
import type { Resource } from '../fields.ts';
import { changedFields } from './changed-fields.ts';
import type { FieldChange } from './changed-fields.ts';
import { idOfRow } from './find-former.ts';
import { idIn, membersOf, rowsOf, stateAfter } from './state.ts';
import type { State } from './state.ts';

/** What can become of an element of an operation. */
export const changeKinds = ['created', 'changed', 'unchanged', 'deleted', 'failed'] as const;
type ChangeKind = (typeof changeKinds)[number];

/** Why an element failed. */
type ChangeFailure = Readonly<{ code: string; message: string; field: string | null }>;

/** What an operation did to one record. */
export type ElementChange = Readonly<{
  /** Id of the record. */
  ref: string;
  kind: ChangeKind;
  fields: readonly FieldChange[];
  /** Why it failed. */
  failure: ChangeFailure | null;
}>;

/** Filter for the changes of an operation. */
type ChangeFilter = Readonly<{ element: string | null; field: string | null; kind: ChangeKind | null }>;

/**
 * Elements of the operation `$2` that changed nothing, and those that failed; filtered by id `$3` and field `$4`,
 * unless null.
 */
const others = `
      SELECT 'unchanged', u.row_id, NULL, NULL, u.ref, u.position FROM operation_unchanged u
      WHERE u.tenant_id = $1 AND u.operation_id = $2 AND $4::text IS NULL AND ($3::text IS NULL OR u.ref = $3)
        AND NOT EXISTS (SELECT FROM own WHERE own.row_id = u.row_id)
      UNION ALL
      SELECT 'failed', NULL, NULL, NULL, e.ref, e.position FROM operation_error e
      WHERE e.tenant_id = $1 AND e.operation_id = $2 AND ($3::text IS NULL OR e.ref = $3) AND ($4::text IS NULL OR e.field = $4)`;

/** Selects, from the changes `own` and the other elements, those of kind `$5`; all if that is null. */
const wantedOf = (own: string) => `WITH own AS (${own}), entries AS (
      SELECT kind, row_id, first, last, record_id AS ref, NULL::integer AS position FROM own
      UNION ALL ${others}
    ), wanted AS (SELECT * FROM entries WHERE $5::text IS NULL OR kind = $5)`;

/**
 * What became of each element of an operation: the records that it changed, in order of their first change, then the
 * elements that changed nothing or failed, by position.
 */
function entriesOf(resource: Resource): string {
  return wantedOf(`
      SELECT row_id, min(id) AS first, max(id) AS last, max(${idIn(resource)}) AS record_id,
        CASE WHEN bool_or(action = 'deleted') THEN 'deleted' WHEN bool_or(action = 'created') THEN 'created' ELSE 'changed' END AS kind
      FROM ${resource}_change
      WHERE tenant_id = $1 AND operation_id = $2 AND ($3::text IS NULL OR row_id IN (${rowsOf(resource, '$3')}))
      GROUP BY row_id HAVING $4::text IS NULL OR bool_or(action = 'created' OR before ? $4)`);
}

/** The same for a dry run, whose changes are stored the way they would have been reported. */
const dryEntries = wantedOf(`
      SELECT NULL::bigint AS row_id, number::bigint AS first, NULL::bigint AS last, ref AS record_id, kind FROM dry_change
      WHERE tenant_id = $1 AND operation_id = $2 AND ($3::text IS NULL OR ref = $3)
        AND ($4::text IS NULL OR kind = 'created' OR before ? $4)`);

const page = `page AS (SELECT * FROM wanted ORDER BY first, kind DESC, position LIMIT $6 OFFSET $7)`;
const failure = `LEFT JOIN operation_error e
           ON p.kind = 'failed' AND e.tenant_id = $1 AND e.operation_id = $2 AND e.position = p.position
         ORDER BY p.first, p.kind DESC, p.position`;

const countOf = (name: string, entries: string) =>
  tenantStatement(name, `${entries} SELECT count(*)::integer AS count FROM wanted`, { isSearch: true });

const statements = { image: statementsOf('image'), video: statementsOf('video') };

const dryStatements = {
  list: tenantStatement(
    'changes-of-dry-run',
    `${dryEntries}, ${page}
         SELECT p.kind, p.ref, d.before, d.after, e.code, e.message, e.field
         FROM page p LEFT JOIN dry_change d ON d.tenant_id = $1 AND d.operation_id = $2 AND d.number = p.first ${failure}`,
  ),
  count: countOf('count-changes-of-dry-run', dryEntries),
};

function statementsOf(resource: Resource) {
  return {
    list: tenantStatement(
      `changes-of-operation-on-${resource}s`,
      `${entriesOf(resource)}, ${page}
         SELECT p.kind, ${idOfRow(resource)} AS ref, replaced.before,
           CASE p.kind WHEN 'created' THEN left_as.state WHEN 'changed' THEN ${membersOf('left_as.state', 'replaced.before')} END AS after,
           e.code, e.message, e.field
         FROM page p
         LEFT JOIN LATERAL (
           SELECT jsonb_object_agg(b.key, b.value ORDER BY c.id DESC) AS before
           FROM ${resource}_change c, jsonb_each(c.before) AS b
           WHERE c.tenant_id = $1 AND c.row_id = p.row_id AND c.operation_id = $2
             AND c.action::text = p.kind AND p.kind <> 'created'
         ) AS replaced ON p.first IS NOT NULL
         LEFT JOIN LATERAL ${stateAfter(resource, 'p.row_id', 'p.last')} AS left_as ON p.kind IN ('created', 'changed')
         ${failure}`,
      { isSearch: true },
    ),
    count: countOf(`count-changes-of-operation-on-${resource}s`, entriesOf(resource)),
  };
}

type Row = Readonly<{ kind: ChangeKind; ref: string; before: State | null; after: State | null }> &
  Readonly<{ code: string | null; message: string | null; field: string | null }>;

/** An operation whose changes are listed. */
type ChangingOperation = Readonly<{ id: number; resource: Resource; isDryRun: boolean }>;

/** Lists what an operation did, has done so far, or would have done. */
export async function listOperationChanges(
  db: TenantDb,
  { id, resource, isDryRun }: ChangingOperation,
  { element, field, kind }: ChangeFilter,
  page: PageAsked,
): Promise<Page<ElementChange>> {
  const own = isDryRun ? dryStatements : statements[resource];
  const filter = [id, element?.replaceAll('\0', '') ?? null, field?.replaceAll('\0', '') ?? null, kind];
  const { results, count } = await readPage<Row>(db, own, filter, page);
  return { results: results.map((row) => toElement(resource, row, field)), count };
}

/** Returns everything that an operation has done so far inside the client's transaction, as recorded in the history. */
export async function changesOf(db: TenantDb, resource: Resource, id: number, client: Queryable): Promise<Row[]> {
  const everything = [id, null, null, null, null, 0];
  return (await db.query<Row>(statements[resource].list, everything, client)).rows;
}

function toElement(
  resource: Resource,
  { kind, ref, before, after, code, message, field }: Row,
  only: string | null,
): ElementChange {
  const fields = changedFields(resource, kind === 'created' ? null : before, after);
  return {
    ref,
    kind,
    fields: only === null ? fields : fields.filter((change) => change.field === only),
    failure: code === null ? null : { code, message: message ?? '', field },
  };
}
