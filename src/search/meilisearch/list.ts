import type { RecordRow } from '../../catalog/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { ListOptions } from '../query/compose-page.ts';
import type { SearchQuery } from '../query/search-query.ts';
import { askEarly, askIndex, askWhenKnown } from './ask.ts';
import type { IndexOfTenant } from './ask.ts';
import { attributeOf } from './attributes.ts';
import type { BackendReason, MeilisearchBackend } from './backend.ts';
import { planList } from './plan.ts';
import type { ListPlan } from './plan.ts';
import { readRows, readRowsWhileCurrent } from './read-rows.ts';

/**
 * How deep pages merged from several members may be: each member sends all records up to the end of the page, with
 * their sort keys.
 */
const mostMerged = 5_000;

/** Returns a page of the records that match a query, found by Meilisearch. */
export async function listByMeilisearch(
  db: TenantDb,
  meilisearch: MeilisearchBackend,
  searchQuery: SearchQuery,
  options: ListOptions,
): Promise<RecordRow[] | BackendReason> {
  const plan = await planList(db, searchQuery, options);
  if (typeof plan === 'string') return plan;
  const { resource } = searchQuery;
  const { page, limit, properties } = options;
  if (meilisearch.client.members.length > 1 && page * limit > mostMerged) return 'order';
  const part = { offset: (page - 1) * limit, limit };
  const ask = (index: IndexOfTenant) =>
    plan.kind === 'sorted' ? sorted(meilisearch, index, plan, part) : ranked(meilisearch, index, plan, part);
  const early = askEarly(db, meilisearch, resource, ask);
  const known = await early?.answer;
  if (early !== null && typeof known === 'object' && known.length > 0) {
    // Saves PostgreSQL a query: the statement that reads the rows also checks that the index is still the right one.
    const rows = await readRowsWhileCurrent(db, meilisearch, early.index, { resource, rowIds: known, properties });
    if (rows.length > 0) return rows;
  }
  const rowIds = await askWhenKnown(db, meilisearch, resource, ask, early);
  return typeof rowIds === 'string' ? rowIds : readRows(db, { resource, rowIds, properties });
}

type Part = Readonly<{ offset: number; limit: number }>;
type PlanOf<Kind extends ListPlan['kind']> = Extract<ListPlan, { kind: Kind }>;
type RowIds = readonly number[] | BackendReason;

async function sorted(
  meilisearch: MeilisearchBackend,
  index: IndexOfTenant,
  { filter, sort }: PlanOf<'sorted'>,
  part: Part,
): Promise<RowIds> {
  const answers = await askIndex(meilisearch, index, [{ filter, sort, part }]);
  return typeof answers === 'string' ? answers : (answers[0]?.rowIds ?? []);
}

/**
 * Lists records that contain the words as written first, as Meilisearch ranks them, then those that contain other
 * forms of them, newest first. The second list is only requested if the first does not fill the page.
 */
async function ranked(
  meilisearch: MeilisearchBackend,
  index: IndexOfTenant,
  plan: PlanOf<'ranked'>,
  part: Part,
): Promise<RowIds> {
  const { filter, q, plain, written } = plan;
  const first = await askIndex(meilisearch, index, [{ filter: written, q, part }]);
  if (typeof first === 'string') return first;
  const rowIds = first[0]?.rowIds ?? [];
  if (rowIds.length === part.limit) return rowIds;
  // The first list ends on this page or before it; its total tells where to start in the second.
  const sort = [`${attributeOf.number('created_at')}:desc`, 'key:asc'];
  const others = { filter: `(${filter}) AND NOT (${plain})`, sort };
  const endsHere = part.offset === 0 || rowIds.length > 0;
  const rest = { offset: 0, limit: part.limit - rowIds.length };
  const more = endsHere ? [{ filter: written }, { ...others, part: rest }] : [{ filter: written }];
  const answers = await askIndex(meilisearch, index, more);
  if (typeof answers === 'string') return answers;
  const total = answers[0]?.total ?? 0;
  // Meilisearch must find the same records by its words as by our tokens.
  if (rowIds.length !== Math.max(0, total - part.offset)) return 'values';
  if (endsHere) return [...rowIds, ...(answers[1]?.rowIds ?? [])];
  const beyond = await askIndex(meilisearch, index, [{ ...others, part: { ...part, offset: part.offset - total } }]);
  return typeof beyond === 'string' ? beyond : (beyond[0]?.rowIds ?? []);
}
