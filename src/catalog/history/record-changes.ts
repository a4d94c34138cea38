import { readPage, tenantStatement } from '../../tenants/index.ts';
import type { Page, PageAsked, TenantDb } from '../../tenants/index.ts';
import type { Resource } from '../fields.ts';
import { changedFields } from './changed-fields.ts';
import type { FieldChange } from './changed-fields.ts';
import { membersOf, rowsOf, stateAfter } from './state.ts';
import type { State } from './state.ts';
import { canBeId } from '../record-id.ts';

/** What a change did to a record. */
export const changeActions = ['created', 'changed', 'deleted'] as const;
type ChangeAction = (typeof changeActions)[number];

/** One change of a record: by which operation and key, when, and what it did to each field. */
export type RecordChange = Readonly<{
  operationId: number | null;
  keyName: string | null;
  keyPrefix: string | null;
  at: Date;
  action: ChangeAction;
  fields: readonly FieldChange[];
}>;

/** SQL for the state of the record before and after the change in row `c`. */
const beforeAndAfter = (resource: Resource) => `CASE WHEN c.action <> 'created' THEN c.before END AS before,
  CASE c.action WHEN 'deleted' THEN NULL
  WHEN 'created' THEN (SELECT state FROM ${stateAfter(resource, 'c.row_id', 'c.id')} AS s)
  ELSE (SELECT ${membersOf('s.state', 'c.before')} FROM ${stateAfter(resource, 'c.row_id', 'c.id')} AS s) END AS after`;

const ofRecord = (resource: Resource) =>
  `FROM ${resource}_change WHERE tenant_id = $1 AND row_id IN (${rowsOf(resource, '$2')})`;

const statements = { image: statementsOf('image'), video: statementsOf('video') };

function statementsOf(resource: Resource) {
  return {
    list: tenantStatement(
      `changes-of-${resource}`,
      `WITH page AS (SELECT * ${ofRecord(resource)} ORDER BY id DESC LIMIT $3 OFFSET $4)
         SELECT c.operation_id AS "operationId", k.name AS "keyName", k.prefix AS "keyPrefix", c.at, c.action,
                ${beforeAndAfter(resource)}
         FROM page c LEFT JOIN api_key k ON k.tenant_id = $1 AND k.id = c.api_key_id ORDER BY c.id DESC`,
      { isSearch: true },
    ),
    count: tenantStatement(`count-changes-of-${resource}`, `SELECT count(*)::integer AS count ${ofRecord(resource)}`, {
      isSearch: true,
    }),
    exists: tenantStatement(`has-had-${resource}`, `SELECT EXISTS (${rowsOf(resource, '$2')}) AS "hasBeen"`),
  };
}

type Row = Omit<RecordChange, 'fields'> & Readonly<{ before: State | null; after: State | null }>;

/** Lists the stored changes of a record, even if it is deleted; null if no record has, or had, this id. */
export async function listRecordChanges(
  db: TenantDb,
  resource: Resource,
  id: string,
  page: PageAsked,
): Promise<Page<RecordChange> | null> {
  if (!canBeId(id)) return null;
  const own = statements[resource];
  const { results, count } = await readPage<Row>(db, own, [id], page);
  if (results.length === 0) {
    const { rows: found } = await db.query<{ hasBeen: boolean }>(own.exists, [id]);
    if (found[0]?.hasBeen !== true) return null;
  }
  return {
    results: results.map(({ before, after, ...row }) => ({ ...row, fields: changedFields(resource, before, after) })),
    count,
  };
}
