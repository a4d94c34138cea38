import type { Database } from './database.ts';
import type { Notifications } from './notifications.ts';

/** How to ask a service behind this one whether it is there. */
export type Probe = Readonly<{
  /** As `/ready` and the metrics name it. */
  name: string;
  /** Whether requests fail without it. */
  isNeeded: boolean;
  /** Rejects when it does not answer. */
  check(): Promise<unknown>;
}>;

/** What every service stands on: its database, and word of changes that other processes make. */
export function databaseProbes({ pool }: Database, notifications: Notifications): Probe[] {
  return [
    { name: 'postgres', isNeeded: true, check: () => pool.query('SELECT 1') },
    // Without it everything is noticed a little later: readers look at the tables too.
    { name: 'notifications', isNeeded: false, check: () => notifications.check() },
  ];
}
