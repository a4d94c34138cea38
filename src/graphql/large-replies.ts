import { FairSemaphore } from '../fair-semaphore.ts';
import type { Release } from '../fair-semaphore.ts';
import { company as ownCompany } from '../metrics/index.ts';
import type { Company } from '../metrics/index.ts';
import type { Context } from './context.ts';
import { largeReplies } from './limits.ts';

/**
 * Replies with many values stay in memory until their readers have taken them. Only so many are made or waiting at the
 * same time: a tenant's readers that are slow about large pages keep that tenant from asking for more of them, nobody else.
 * While several tenants are served, one of each is made at a time.
 */
export class LargeReplies {
  readonly #slots: FairSemaphore;
  readonly #made: FairSemaphore;
  /** Requests that hold a slot: one that runs several documents must not wait for itself. */
  readonly #holders = new WeakSet<Context['request']>();

  constructor(company: Company = ownCompany) {
    const { capacity, perOwner, madeBesideOthers, queuePerOwner, waitMs } = largeReplies;
    const shared = { name: 'large replies', queuePerOwner, waitMs };
    this.#slots = new FairSemaphore({ ...shared, capacity, perOwner });
    const made = () => (company.isShared ? madeBesideOthers : Infinity);
    this.#made = new FairSemaphore({ ...shared, capacity: Infinity, perOwner: made });
  }

  /**
   * Waits until a reply of so many values may be there; its slot is given back when it has left.
   *
   * @throws AppError `rate_limited` or `unavailable` when there was no slot in time, or the reason of the request's signal.
   */
  async admit({ viewer, request }: Context, values: number): Promise<void> {
    if (viewer === null || this.#holders.has(request)) return;
    this.#holders.add(request);
    const weight = Math.ceil(values / largeReplies.valuesPerSlot);
    let release: Release | null = this.#slots.tryAcquire(viewer.tenantId, weight);
    try {
      release ??= await this.#slots.acquire(viewer.tenantId, request.signal, weight);
    } catch (error) {
      this.#holders.delete(request);
      throw error;
    }
    request.whenSent(release);
  }

  /**
   * Waits until a reply that is admitted may be made.
   *
   * @returns what is to be called when it is made. @throws as `admit` does.
   */
  begin({ viewer, request }: Context): Promise<Release> | Release {
    if (viewer === null) return () => {};
    return this.#made.tryAcquire(viewer.tenantId) ?? this.#made.acquire(viewer.tenantId, request.signal);
  }
}
