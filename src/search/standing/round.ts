import type { PoolClient } from 'pg';
import { resources } from '../../catalog/index.ts';
import type { Resource } from '../../catalog/index.ts';
import { addNotifications } from '../../notifications/index.ts';
import type { NewNotification } from '../../notifications/index.ts';
import { TimeSlice } from '../../lib/time-slice.ts';
import { tenantQuery, tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { SimilarityServices } from '../query/resolve-similarity.ts';
import { moveClock } from './clock.ts';
import { evaluateRows } from './evaluate.ts';
import { standingLimits } from './limits.ts';
import { loadPlan } from './plan.ts';
import type { Plan } from './plan.ts';

/** Plans of this process by tenant, kept from round to round. */
export type Plans = Map<number, Plan>;

type RoundDeps = Readonly<{ services: SimilarityServices; plans: Plans; signal: AbortSignal }>;

/** `isBusy`: another process is working on the tenant. `hasMore`: more changes are waiting. */
type RoundResult = Readonly<{ isBusy: boolean; hasMore: boolean }>;

const hold = tenantStatement(
  'hold-standing-tenant',
  `SELECT s.version, s.formulas, (extract(epoch FROM s.clock_at) * 1000)::bigint AS "clockMs",
     (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "nowMs", t.time_zone AS "timeZone"
   FROM standing_tenant s JOIN tenant t ON t.id = s.tenant_id WHERE s.tenant_id = $1 FOR UPDATE OF s SKIP LOCKED`,
);

type Held = Readonly<{ version: number; formulas: number; clockMs: number; nowMs: number; timeZone: string | null }>;

const next = tenantStatement(
  'next-standing-changes',
  `SELECT resource, row_id AS "rowId", change::text AS change FROM standing_outbox
   WHERE tenant_id = $1 ORDER BY changed_at LIMIT $2`,
);

type Change = Readonly<{ resource: Resource; rowId: number; change: string }>;

/** Removes changes that were evaluated. A record that was written again in the meantime is left for the next round. */
const take = tenantStatement(
  'take-standing-changes',
  `WITH held AS (
     SELECT o.resource, o.row_id, o.ref FROM standing_outbox o
     JOIN unnest($3::bigint[], $4::text[]::xid8[]) AS d (row_id, change) USING (row_id)
     WHERE o.tenant_id = $1 AND o.resource = $2::operation_resource AND o.change = d.change
     FOR UPDATE OF o SKIP LOCKED
   ), gone AS (
     DELETE FROM standing_outbox o USING held h
     WHERE o.tenant_id = $1 AND (o.resource, o.row_id) = (h.resource, h.row_id)
   )
   SELECT h.row_id AS "rowId", h.ref AS "deletedRef", COALESCE(m.formulas, '{}') AS formulas
   FROM held h LEFT JOIN standing_match m ON m.tenant_id = $1 AND (m.resource, m.row_id) = (h.resource, h.row_id)
   ORDER BY h.row_id`,
);

type Taken = Readonly<{ rowId: number; deletedRef: string | null; formulas: readonly number[] }>;

const keep = tenantStatement(
  'keep-standing-matches',
  `WITH given AS (
     SELECT row_id, formulas::int[] FROM unnest($3::bigint[], $4::text[]) AS g (row_id, formulas)
   ), gone AS (
     DELETE FROM standing_match m USING given g
     WHERE m.tenant_id = $1 AND m.resource = $2::operation_resource AND m.row_id = g.row_id AND g.formulas = '{}'
   )
   INSERT INTO standing_match (tenant_id, resource, row_id, formulas)
   SELECT $1, $2::operation_resource, row_id, formulas FROM given WHERE formulas <> '{}' ORDER BY row_id
   ON CONFLICT (tenant_id, resource, row_id) DO UPDATE SET formulas = EXCLUDED.formulas`,
);

/**
 * Evaluates the records that changed since the last round, compares the result with what matched before, and writes
 * which records started or stopped matching. All in one transaction, which locks the tenant's standing formulas: a
 * round that crashes leaves nothing behind and is simply repeated.
 */
export async function runRound(db: TenantDb, deps: RoundDeps): Promise<RoundResult> {
  return db.transaction(async (client) => {
    const { rows: holds } = await db.query<Held>(hold, [], client);
    const [held] = holds;
    if (held === undefined) return { isBusy: true, hasMore: false };
    if (held.formulas === 0) {
      deps.plans.delete(db.tenantId);
      return { isBusy: false, hasMore: false };
    }
    const plan = await currentPlan(db, client, held, deps.plans);
    const mostRows = rowsOf(held.formulas);
    const { rows: changes } = await db.query<Change>(next, [mostRows], client);
    const notifications: NewNotification[] = [];
    for (const resource of resources) {
      const own = changes.filter((change) => change.resource === resource);
      if (own.length > 0) notifications.push(...(await judge(db, client, plan, resource, own, deps)));
    }
    await addNotifications(db, client, notifications);
    return { isBusy: false, hasMore: changes.length === mostRows };
  });
}

/** Number of records per round: each may match every formula. */
function rowsOf(formulas: number): number {
  return Math.min(standingLimits.rows, Math.max(1, Math.floor(standingLimits.roundMatches / formulas)));
}

/** Returns the tenant's plan as of its clock, which advances when relative dates are due to be evaluated again. */
async function currentPlan(db: TenantDb, client: PoolClient, held: Held, plans: Plans): Promise<Plan> {
  const { version, timeZone, clockMs, nowMs } = held;
  const known = plans.get(db.tenantId);
  const isKnown = known?.version === version && known.clock.now === clockMs && known.clock.timeZone === timeZone;
  const before = isKnown ? known : await loadPlan(db, client, { version, clock: { now: clockMs, timeZone } });
  const isDue = nowMs - clockMs >= standingLimits.clockMs;
  const plan = isDue ? await moveClock(db, client, before, nowMs) : before;
  plans.set(db.tenantId, plan);
  return plan;
}

async function judge(
  db: TenantDb,
  client: PoolClient,
  plan: Plan,
  resource: Resource,
  changes: readonly Change[],
  { services, signal }: RoundDeps,
): Promise<readonly NewNotification[]> {
  const rowIds = changes.map(({ rowId }) => rowId);
  const { matches, unknown } = await evaluateRows(db, client, plan, { resource, rows: rowIds, services, signal });
  const values = [resource, `{${rowIds.join(',')}}`, `{${changes.map(({ change }) => change).join(',')}}`];
  const { rows: taken } = await db.query<Taken>(take, values, client);
  const refs = await readRefs(db, client, resource, taken);
  const notifications: NewNotification[] = [];
  const kept: { rowId: number; formulas: readonly number[] }[] = [];
  const slice = new TimeSlice(db.tenantId);
  for (const { rowId, deletedRef, formulas } of taken) {
    if (slice.isOver) await slice.pause();
    const former = new Set(formulas);
    const ref = refs.get(rowId) ?? deletedRef;
    const now = new Set(matches.get(rowId));
    for (const id of former) if (unknown.has(id) && refs.has(rowId)) now.add(id);
    const notify = (kind: 'record.matched' | 'record.unmatched', id: number) => {
      const formula = plan.names.get(id);
      if (formula === undefined) return; // It no longer watches.
      const isDeleted = !refs.has(rowId);
      notifications.push({ kind, resource, ref, formula, ...(isDeleted && { data: { deleted: true } }) });
    };
    for (const id of now) if (!former.has(id)) notify('record.matched', id);
    for (const id of former) if (!now.has(id)) notify('record.unmatched', id);
    if (now.size !== former.size || formulas.some((id) => !now.has(id))) kept.push({ rowId, formulas: [...now] });
  }
  if (kept.length > 0) {
    const rows = `{${kept.map(({ rowId }) => rowId).join(',')}}`;
    await db.query(keep, [resource, rows, kept.map(({ formulas }) => `{${formulas.join(',')}}`)], client);
  }
  return notifications;
}

const idColumns: Readonly<Record<Resource, string>> = { image: 'image_id', video: 'video_id' };

/** Returns the ids of the records that still exist. */
async function readRefs(
  db: TenantDb,
  client: PoolClient,
  resource: Resource,
  taken: readonly Taken[],
): Promise<ReadonlyMap<number, string>> {
  const text = `SELECT row_id AS "rowId", ${idColumns[resource]} AS ref FROM ${resource}
    WHERE tenant_id = $1 AND row_id = ANY ($2::bigint[])`;
  const rowIds = `{${taken.map(({ rowId }) => rowId).join(',')}}`;
  const { rows } = await db.query<{ rowId: number; ref: string }>(tenantQuery(text), [rowIds], client);
  return new Map(rows.map(({ rowId, ref }) => [rowId, ref]));
}
