import { FairSemaphore } from '../lib/fair-semaphore.ts';
import type { Release } from '../lib/fair-semaphore.ts';
import type { Limits } from './limits.ts';
import { smallBytes } from './read-body.ts';

/** Who pays for the memory of a request. */
export type BudgetOwner = Readonly<{ tenantId: number; keyId: number }>;

/** JSON takes about so many bytes of memory for each byte of text: the text, its values, and what is made of them. */
export const jsonFactor = 4;

/** Requests of one tenant whose bodies wait for memory. */
const queuePerOwner = 100;

/**
 * The memory that bodies of requests take: so much in all, for a tenant and for a key. A body that
 * does not fit now waits before any of it is read; tenants take turns. Small bodies have a quarter for
 * themselves, so that large ones of others do not keep them out.
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
   * Takes memory for a body of so many bytes, and waits for it within bounds.
   *
   * @throws AppError `rate_limited` or `unavailable` when there was none in time, or the reason of `signal`.
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

/** The signal is made only for who has to wait. */
function acquire(
  from: FairSemaphore,
  owner: number,
  bytes: number,
  signal: () => AbortSignal,
): Promise<Release> | Release {
  return from.tryAcquire(owner, bytes) ?? from.acquire(owner, signal(), bytes);
}
