import type { Database } from './postgres/database.ts';
import type { Notifications } from './postgres/notifications.ts';
import type { TenantQueue } from './queue/queue.ts';

type Standing = Readonly<{ database: Database; notifications: Notifications; queue: TenantQueue }>;

/** How to check whether a backing service is available. */
export type Probe = Readonly<{
  /** Its name in `/ready` and the metrics. */
  name: string;
  /** Whether requests fail without it. */
  isNeeded: boolean;
  /** Rejects when it does not answer. */
  check(): Promise<unknown>;
  /** Returns its entry in `/ready`, with or without a fault; without this method, that is `ok` or `unreachable`. */
  describe?(fault: Error | null): Promise<object>;
}>;

/** The probes of the backing services. */
export function probesOf({ database, notifications, queue }: Standing): Probe[] {
  const { server } = queue;
  return [
    { name: 'postgres', isNeeded: true, check: () => database.pool.query('SELECT 1') },
    // Without it everything is noticed a little later: readers poll the tables too.
    { name: 'notifications', isNeeded: false, check: () => notifications.check() },
    // Without it workers find work in the database, a second later at most.
    ...(server === null ? [] : [{ name: server.name, isNeeded: false, check: () => server.ping() }]),
  ];
}
