import type { ActiveTenants } from '../../lib/active-tenants.ts';
import { FairSemaphore } from '../../lib/fair-semaphore.ts';
import type { Release } from '../../lib/fair-semaphore.ts';
import type { Context } from '../schema/context.ts';
import { largeReplies } from './limits.ts';

/**
 * Replies with many values stay in memory until clients have read them, so their number is limited for each tenant: slow
 * readers of large pages block only further ones of their tenant. While several tenants are served, one reply of each is
 * built and sent at a time, because many keep the event loop and the garbage collector busy.
 */
export class LargeReplies {
  readonly #slots: FairSemaphore;
  readonly #made: FairSemaphore;
  readonly #activeTenants: ActiveTenants;
  /** Requests with a slot: one that runs several documents must not wait for itself. */
  readonly #admitted = new WeakSet<Context['request']>();
  /** Requests whose reply is being sent while several tenants are served, with the function that releases each. */
  readonly #leaving = new WeakMap<Context['request'], Release>();

  constructor(activeTenants: ActiveTenants) {
    const { capacity, perOwner, besideOthers, queuePerOwner, waitMs } = largeReplies;
    const shared = { name: 'large replies', queuePerOwner, waitMs };
    this.#slots = new FairSemaphore({ ...shared, capacity, perOwner });
    this.#activeTenants = activeTenants;
    const made = () => (activeTenants.isShared ? besideOthers : Infinity);
    this.#made = new FairSemaphore({ ...shared, capacity: Infinity, perOwner: made });
  }

  /**
   * Waits until a reply with this many values may be built; its slot is released when it was sent.
   *
   * @throws AppError `rate_limited` or `unavailable` when there was no slot in time, or the reason of the request's signal.
   */
  async admit({ viewer, request }: Context, values: number): Promise<void> {
    if (viewer === null || this.#admitted.has(request)) return;
    this.#admitted.add(request);
    const weight = Math.ceil(values / largeReplies.valuesPerSlot);
    let release: Release | null = this.#slots.tryAcquire(viewer.tenantId, weight);
    try {
      release ??= await this.#slots.acquire(viewer.tenantId, request.signal, weight);
    } catch (error) {
      this.#admitted.delete(request);
      throw error;
    }
    const leave = release;
    request.whenSent(() => {
      leave();
      this.#leaving.get(request)?.();
    });
  }

  /**
   * Waits until an admitted reply may be built.
   *
   * @returns a function to call when it is built. @throws as `admit` does.
   */
  async begin({ viewer, request }: Context): Promise<() => void> {
    // The documents of a list run one after the other, and are sent together.
    if (viewer === null || this.#leaving.has(request)) return () => {};
    const { tenantId } = viewer;
    const release = this.#made.tryAcquire(tenantId) ?? (await this.#made.acquire(tenantId, request.signal));
    if (!this.#activeTenants.isShared) return release;
    this.#leaving.set(request, release);
    return () => void setTimeout(release, largeReplies.sendingMs).unref();
  }
}
