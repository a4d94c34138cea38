import type { Database } from './postgres/database.ts';
import type { Notifications } from './postgres/notifications.ts';
import type { TenantQueue } from './queue/queue.ts';

type Standing = Readonly<{ database: Database; notifications: Notifications; queue: TenantQueue }>;

/** How to ask a service behind this one whether it is there. */
export type Probe = Readonly<{
  /** As `/ready` and the metrics name it. */
  name: string;
  /** Whether requests fail without it. */
  isNeeded: boolean;
  /** Rejects when it does not answer. */
  check(): Promise<unknown>;
  /** What `/ready` says of it, whether it can be used or not; `ok` or `unreachable` without this. */
  describe?(fault: Error | null): Promise<object>;
}>;

/** What a service stands on. */
export function probesOf({ database, notifications, queue }: Standing): Probe[] {
  const { server } = queue;
  return [
    { name: 'postgres', isNeeded: true, check: () => database.pool.query('SELECT 1') },
    // Without it everything is noticed a little later: readers look at the tables too.
    { name: 'notifications', isNeeded: false, check: () => notifications.check() },
    // Without it workers find what is to do in the database, a second later at most.
    ...(server === null ? [] : [{ name: server.name, isNeeded: false, check: () => server.ping() }]),
  ];
}
