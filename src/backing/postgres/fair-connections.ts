import { FairSemaphore } from '../../lib/fair-semaphore.ts';
import type { ActiveTenants } from '../../lib/active-tenants.ts';

/**
 * How tenants share the connections of the pool, as fractions of it; how many statements may wait, and for how long.
 *
 * A search (a list, a count, a facet, the words of a formula) keeps a core of the database busy for as long as it
 * runs. Many at once would slow down everybody's reads by id, no matter how fairly they are queued.
 */
export const connectionLimits = {
  /**
   * Concurrent statements of tenants, and concurrent transactions. They add up to less than the pool: the rest is for
   * statements without a tenant, and so that no statement waits for transactions that are waiting for each other's
   * rows.
   */
  statements: 0.55,
  transactions: 0.35,
  /** Transactions of one tenant while other tenants are served. */
  transactionsBesideOthers: 0.2,
  /** How many of the transactions may store operations; the rest are for requests. */
  stores: 0.25,
  /** How many of the statements may be searches. */
  searches: 0.2,
  /**
   * Searches of one tenant while other tenants are served: on two cores, a second search would take what is left of
   * the processor away from the others.
   */
  searchesBesideOthers: 0.05,
  /**
   * Searches, if each one beyond the limit is its tenant's only one: a quiet tenant does not wait for the searches of
   * others.
   */
  firstSearches: 0.5,
  /** Waiting statements of one tenant; any more are refused. */
  queuePerTenant: 2_000,
  waitMs: 20_000,
} as const;

/** Shares out the database among tenants; a tenant that is alone has all of it. */
export type FairConnections = Readonly<{
  statements: FairSemaphore;
  transactions: FairSemaphore;
  /** Acquire this before the slot for the transaction, never after it. */
  stores: FairSemaphore;
  /** Acquire this before the slot for the statement, never after it. */
  searches: FairSemaphore;
}>;

export function createFairConnections(connections: number, activeTenants: ActiveTenants): FairConnections {
  const { queuePerTenant: queuePerOwner, waitMs, ...fractions } = connectionLimits;
  const part = (fraction: number) => Math.max(1, Math.floor(connections * fraction));
  const besideOthers = (fraction: number) => () => (activeTenants.isShared ? part(fraction) : Infinity);
  return {
    statements: new FairSemaphore({
      name: 'statements',
      capacity: part(fractions.statements),
      queuePerOwner,
      waitMs,
    }),
    transactions: new FairSemaphore({
      name: 'transactions',
      capacity: part(fractions.transactions),
      perOwner: besideOthers(fractions.transactionsBesideOthers),
      queuePerOwner,
      waitMs,
    }),
    stores: new FairSemaphore({ name: 'stores', capacity: part(fractions.stores) }),
    searches: new FairSemaphore({
      name: 'searches',
      capacity: part(fractions.searches),
      perOwner: besideOthers(fractions.searchesBesideOthers),
      capacityForFirst: part(fractions.firstSearches),
      queuePerOwner,
      waitMs,
    }),
  };
}
