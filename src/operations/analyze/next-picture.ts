import { FairSemaphore } from '../../lib/fair-semaphore.ts';
import type { FairSemaphoreOptions } from '../../lib/fair-semaphore.ts';
import { oldestEvery } from './limits.ts';

/** The priority of a picture: `rank` of its chunk, then `order` in which chunks were claimed. */
export type QueuePlace = Readonly<{ rank: number; order: number }>;

/** `work` never fails, and ends when the picture is done. */
type Waiting = QueuePlace & Readonly<{ work: () => Promise<void> }>;

/** Pictures of one tenant: the waiting ones, and the number in progress. */
type Tenant = { waiting: Waiting[]; begun: number };

/**
 * The pictures that one process analyzes at the same time. Tenants share the slots equally. A tenant that gets a slot
 * starts its picture of lowest rank or, every fourth time, the one whose chunk was claimed first. So a small
 * operation does not wait for a large one, and none waits forever.
 */
export class NextPicture {
  readonly #slots: FairSemaphore;
  readonly #tenants = new Map<number, Tenant>();

  constructor(slots: Omit<FairSemaphoreOptions, 'name'>) {
    this.#slots = new FairSemaphore({ name: 'analyses', ...slots });
  }

  /** Runs `work` when it is next in the tenant's line. @throws what `work` throws. */
  run<T>(tenantId: number, place: QueuePlace, work: () => Promise<T>): Promise<T> {
    let tenant = this.#tenants.get(tenantId);
    if (tenant === undefined) this.#tenants.set(tenantId, (tenant = { waiting: [], begun: 0 }));
    const { waiting } = tenant;
    return new Promise<T>((resolve, reject) => {
      waiting.push({ ...place, work: () => work().then(resolve, reject) });
      // Each call asks for a slot, which is then used for whichever picture is next.
      void this.#slots.run(tenantId, () => this.#workOnNext(tenantId, tenant));
    });
  }

  async #workOnNext(tenantId: number, tenant: Tenant): Promise<void> {
    const { waiting } = tenant;
    const isOldest = tenant.begun % oldestEvery === oldestEvery - 1;
    const [first, ...others] = waiting;
    if (first === undefined) return;
    const next = others.reduce((best, each) => (goesBefore(each, best, isOldest) ? each : best), first);
    waiting.splice(waiting.indexOf(next), 1);
    tenant.begun += 1;
    if (waiting.length === 0) this.#tenants.delete(tenantId);
    await next.work();
  }
}

function goesBefore(a: QueuePlace, b: QueuePlace, isOldest: boolean): boolean {
  return isOldest || a.rank === b.rank ? a.order < b.order : a.rank < b.rank;
}
