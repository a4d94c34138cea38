import { FairSemaphore } from '../../lib/fair-semaphore.ts';
import type { ActiveTenants } from '../../lib/active-tenants.ts';
import type { Limits } from '../limits.ts';

/** Large bodies of one tenant that wait to be read. */
const queuePerOwner = 100;

/**
 * Slots for large JSON bodies, from the first byte until their work is accepted. While several tenants are served, each
 * has one: reading, checking and storing many at the same time fills the event loop and the database with work, which
 * the short requests of others would wait for. A tenant alone has any number.
 */
export function createLargeBodies(activeTenants: ActiveTenants, { bodyWaitMs: waitMs }: Limits): FairSemaphore {
  const perOwner = () => (activeTenants.isShared ? 1 : Infinity);
  return new FairSemaphore({ name: 'large request bodies', capacity: Infinity, perOwner, queuePerOwner, waitMs });
}
