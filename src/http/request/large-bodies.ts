import { FairSemaphore } from '../../lib/fair-semaphore.ts';
import type { ActiveTenants } from '../../lib/active-tenants.ts';
import type { Limits } from '../limits.ts';

/** Maximum large bodies of one tenant that wait to be read. */
const queuePerOwner = 100;

/**
 * Slots for large JSON bodies, held from the first byte until their work is accepted. While several tenants are served, each
 * has one slot: reading, checking and storing many bodies at the same time would fill the event loop and the database with
 * work that delays the short requests of others. A tenant that is alone has no limit.
 */
export function createLargeBodies(activeTenants: ActiveTenants, { bodyWaitMs: waitMs }: Limits): FairSemaphore {
  const perOwner = () => (activeTenants.isShared ? 1 : Infinity);
  return new FairSemaphore({ name: 'large request bodies', capacity: Infinity, perOwner, queuePerOwner, waitMs });
}
