import { FairSemaphore } from '../../lib/fair-semaphore.ts';
import type { Release } from '../../lib/fair-semaphore.ts';
import type { Limits } from '../limits.ts';
import { smallBytes } from './read-body.ts';

/** Tenant and key to which the memory of a request is charged. */
export type BudgetOwner = Readonly<{ tenantId: number; keyId: number }>;

/** Bytes of memory for each byte of JSON: the text, its values, and what is derived from them. */
export const jsonFactor = 4;

/** Requests of one tenant whose bodies wait for memory. */
const queuePerOwner = 100;

/**
 * Limits the memory of request bodies: in total, for a tenant and for a key. A body that does not
 * fit waits before it is read; tenants take turns. A quarter is reserved for small bodies, so that
 * large ones of others do not block them.
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
   * Reserves memory for a body, and waits for it for a limited time.
   *
   * @throws AppError `rate_limited` or `unavailable` if none is free in time, or the reason of `signal`.
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
