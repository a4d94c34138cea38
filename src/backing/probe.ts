import { Degraded } from './degraded.ts';
import type { Database } from './postgres/database.ts';
import type { Notifications } from './postgres/notifications.ts';
import { refusedWrites } from './postgres/replica-server.ts';
import type { TenantQueue } from './queue/queue.ts';

type Standing = Readonly<{ database: Database; notifications: Notifications; queue: TenantQueue }>;

/** How to check whether a backing service is available. */
export type Probe = Readonly<{
  /** Its name in `/ready` and the metrics. */
  name: string;
  /** Whether requests fail without it. */
  isNeeded: boolean;
  /** Rejects if it does not answer. */
  check(): Promise<unknown>;
  /** Returns its entry in `/ready`, given its fault, if any; by default, that is `ok` or `unreachable`. */
  describe?(fault: Error | null): Promise<object>;
}>;

/** The probes of the backing services. */
export function probesOf({ database, notifications, queue }: Standing): Probe[] {
  const { server } = queue;
  return [
    { name: 'postgres', isNeeded: true, check: () => checkWritable(database) },
    // Without it, everything is noticed a little later, because readers also poll the tables.
    { name: 'notifications', isNeeded: false, check: () => notifications.check() },
    // Without it, workers find work in the database, at most a second later.
    ...(server === null ? [] : [{ name: server.name, isNeeded: false, check: () => server.ping() }]),
  ];
}

/** What PostgreSQL is refusing, by error code; reads may still work. */
const refusals: Readonly<Record<string, readonly [state: string, reason: string]>> = {
  '53100': ['disk full', 'its disk is full'],
  '53300': ['no connections', 'it has no connection left'],
};

/** @throws Degraded if PostgreSQL answers but refuses writes or new connections. */
async function checkWritable({ pool, outage }: Database): Promise<void> {
  const { rows } = await pool.query<{ refusal: string | null }>(refusedWrites);
  const refusal = rows[0]?.refusal ?? null;
  if (refusal !== null) throw new Degraded('read-only', refusal);
  const [state, reason] = refusals[outage.code() ?? ''] ?? [];
  if (state !== undefined && reason !== undefined) throw new Degraded(state, reason);
}
