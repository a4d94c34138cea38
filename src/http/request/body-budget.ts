import { FairSemaphore } from '../../lib/fair-semaphore.ts';
import type { Release } from '../../lib/fair-semaphore.ts';
import type { Limits } from '../limits.ts';
import { smallBytes } from './read-body.ts';

/** Tenant and key that the memory of a request is charged to. */
export type BudgetOwner = Readonly<{ tenantId: number; keyId: number }>;

/** Bytes of memory per byte of JSON: for the text, its values, and the data derived from them. */
export const jsonFactor = 4;

/** Maximum requests of one tenant whose bodies wait for memory. */
const queuePerOwner = 100;

/**
 * Limits the memory of request bodies: in total, per tenant and per key. A body that does not fit has to wait before
 * it is read; tenants take turns. A quarter is reserved for small bodies, so that large bodies of other tenants do
 * not block them.
 */
export class BodyBudget {
  readonly #large: FairSemaphore;
  readonly #small: FairSemaphore;
  readonly #keys: FairSemaphore;

  constructor({ bodiesBytes: all, tenantBodiesBytes, keyBodiesBytes, bodyWaitMs: waitMs }: Limits) {
    const shared = { name: 'request bodies', queuePerOwner, waitMs };
    this.#large = new FairSemaphore({ ...shared, capacity: (all * 3) / 4, perOwner: tenantBodiesBytes });
    this.#small = new FairSemaphore({ ...shared, capacity: all / 4, perOwner: all / 8 });
    this.#keys = new FairSemaphore({ ...shared, capacity: Infinity, perOwner: keyBodiesBytes });
  }

  /**
   * Reserves memory for a body, waiting a limited time for it.
   *
   * @throws AppError `rate_limited` or `unavailable` if no memory is free in time, or the reason of `signal`.
   */
  async take({ tenantId, keyId }: BudgetOwner, bytes: number, signal: () => AbortSignal): Promise<Release> {
    if (bytes <= smallBytes) return acquire(this.#small, tenantId, bytes, signal);
    const ofKey = await acquire(this.#keys, keyId, bytes, signal);
    try {
      const ofTenant = await acquire(this.#large, tenantId, bytes, signal);
      return () => {
        ofTenant();
        ofKey();
      };
    } catch (error) {
      ofKey();
      throw error;
    }
  }
}

/** The signal is created only if the request has to wait. */
function acquire(
  from: FairSemaphore,
  owner: number,
  bytes: number,
  signal: () => AbortSignal,
): Promise<Release> | Release {
  return from.tryAcquire(owner, bytes) ?? from.acquire(owner, signal(), bytes);
}
