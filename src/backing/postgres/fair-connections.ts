import { FairSemaphore } from '../../lib/fair-semaphore.ts';
import type { ActiveTenants } from '../../lib/active-tenants.ts';

/**
 * How tenants share the connections of the pool, as fractions of it; how many statements may wait, and how long.
 *
 * A search (a list, a count, a facet, a formula's words) keeps a processor of the database busy for as long as it runs;
 * many at once would slow down everybody's reads by id, however fairly they are queued.
 */
export const connectionLimits = {
  /**
   * Concurrent statements of tenants, and transactions. Together they are less than the pool: the rest is for statements
   * without a tenant, and no statement waits for transactions that wait for each other's rows.
   */
  statements: 0.55,
  transactions: 0.35,
  /** Transactions of one tenant while others are served too. */
  transactionsBesideOthers: 0.2,
  /** Transactions that store operations, among them: the others are for requests. */
  stores: 0.25,
  /** Searches among them. */
  searches: 0.2,
  /**
   * Searches of one tenant while others are served too: on two cores, a second one would take the remaining processor time
   * from the others.
   */
  searchesBesideOthers: 0.05,
  /**
   * Searches, if those beyond the limit are the first of their tenant: a quiet tenant does not wait for others' searches.
   */
  firstSearches: 0.5,
  /** Waiting statements of one tenant; more are refused. */
  queuePerTenant: 2_000,
  waitMs: 20_000,
} as const;

/** Shares the database among tenants; a tenant that is alone has all of it. */
export type FairConnections = Readonly<{
  statements: FairSemaphore;
  transactions: FairSemaphore;
  /** Acquired before the slot for the transaction, never after it. */
  stores: FairSemaphore;
  /** Acquired before the slot for the statement, never after it. */
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
