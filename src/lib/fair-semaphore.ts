import { AppError } from './errors.ts';

/** Returns a slot; calling it again does nothing. */
export type Release = () => void;

/** Work that has started. Its result is wrapped in an object, so that awaiting the start does not await the end. */
type Begun<T> = Readonly<{ result: Promise<T> }>;

export type FairSemaphoreOptions = Readonly<{
  /** Name of the resource in error messages, in the plural: `reads`. */
  name: string;
  /** Slots (total weight) in use at the same time; a function is called whenever a slot is taken or returned. */
  capacity: number | (() => number);
  /** Slots of one owner among them; a function is called at the same times as that of `capacity`. */
  perOwner?: number | (() => number);
  /** Higher limit that applies to the first slot of an owner, instead of `capacity`. */
  capacityForFirst?: number;
  /** Maximum waiting requests of one owner. */
  queuePerOwner?: number;
  /** The longest wait for a slot, in milliseconds. */
  waitMs?: number;
}>;

type Waiting = Readonly<{ weight: number; serve: (release: Release) => void }>;
type Owner = { running: number; servedAt: number; readonly waiting: Waiting[] };

/**
 * Shares a scarce resource among owners (tenants, by id). An owner that is alone may take every slot. Under
 * contention, the next slot goes to the owner with the fewest slots, then to the one that was served longest ago: no
 * matter how much one owner requests, the single request of another is next. Work may weigh more than one slot
 * (bytes, for example); work that weighs more than all slots together never starts.
 */
export class FairSemaphore {
  readonly #options: FairSemaphoreOptions;
  readonly #owners = new Map<number, Owner>();
  #running = 0;
  #served = 0;

  constructor(options: FairSemaphoreOptions) {
    this.#options = options;
  }

  /** Takes a free slot at once; returns null if the owner has to wait. */
  tryAcquire(id: number, weight = 1): Release | null {
    const owner = this.#ownerOf(id);
    // Waiting work that can run starts as soon as a slot is returned, so a slot that is free now has no one waiting for it.
    if (owner.waiting.length === 0 && this.#mayRun(owner, weight)) return this.#take(id, owner, weight);
    this.#forgetIdle(id, owner);
    return null;
  }

  /**
   * Waits for a slot.
   *
   * @throws AppError `unavailable` if the owner's queue is full or the wait takes longer than `waitMs`;
   * `rate_limited` instead if the owner already uses all slots that one owner may have; the reason of `signal` once
   * it fires.
   */
  async acquire(id: number, signal?: AbortSignal, weight = 1): Promise<Release> {
    signal?.throwIfAborted();
    return this.tryAcquire(id, weight) ?? this.#wait(id, signal, weight);
  }

  /** Runs `work` in a slot, which is returned when the work ends. @throws what `acquire` and `work` throw. */
  async run<T>(id: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const release = this.tryAcquire(id) ?? (await this.#wait(id, signal, 1));
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Starts `work` in a slot and resolves once it has started. @throws what `acquire` throws. */
  async begin<T>(id: number, work: () => Promise<T>): Promise<Begun<T>> {
    const release = await this.acquire(id);
    const result = Promise.resolve().then(work).finally(release);
    result.catch(() => {}); // A later await still receives the failure.
    return { result };
  }

  #mayRun(owner: Owner, weight: number): boolean {
    const { capacity, capacityForFirst = 0 } = this.#options;
    if (this.#isAtLimit(owner, weight)) return false;
    const most = typeof capacity === 'number' ? capacity : capacity();
    const running = this.#running + weight;
    return running <= most || (owner.running === 0 && running <= capacityForFirst);
  }

  #isAtLimit(owner: Owner, weight: number): boolean {
    const { perOwner = Infinity } = this.#options;
    return owner.running + weight > (typeof perOwner === 'number' ? perOwner : perOwner());
  }

  #take(id: number, owner: Owner, weight: number): Release {
    owner.running += weight;
    owner.servedAt = this.#served += 1;
    this.#running += weight;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      owner.running -= weight;
      this.#running -= weight;
      this.#forgetIdle(id, owner);
      this.#serveWaiting();
    };
  }

  #ownerOf(id: number): Owner {
    let owner = this.#owners.get(id);
    if (owner === undefined) this.#owners.set(id, (owner = { running: 0, servedAt: 0, waiting: [] }));
    return owner;
  }

  #forgetIdle(id: number, { running, waiting }: Owner): void {
    if (running === 0 && waiting.length === 0) this.#owners.delete(id);
  }

  #serveWaiting(): void {
    for (;;) {
      let chosen: [number, Owner] | undefined;
      for (const entry of this.#owners) {
        const [, owner] = entry;
        const [next] = owner.waiting;
        if (next === undefined || !this.#mayRun(owner, next.weight)) continue;
        if (chosen === undefined || comesBefore(owner, chosen[1])) chosen = entry;
      }
      const next = chosen?.[1].waiting.shift();
      if (chosen === undefined || next === undefined) return;
      next.serve(this.#take(...chosen, next.weight));
    }
  }

  #wait(id: number, signal: AbortSignal | undefined, weight: number): Promise<Release> {
    const { name, queuePerOwner = Infinity, waitMs } = this.#options;
    const owner = this.#ownerOf(id);
    const { waiting } = owner;
    const refuse = (message: string) => refusal(message, this.#isAtLimit(owner, weight));
    if (waiting.length >= queuePerOwner) return Promise.reject(refuse(`Too many ${name} are waiting`));
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const own: Waiting = {
        weight,
        serve(release) {
          settle();
          resolve(release);
        },
      };
      const giveUp = (error: unknown) => {
        settle();
        waiting.splice(waiting.indexOf(own), 1);
        this.#serveWaiting(); // Lighter work behind it may fit now.
        this.#forgetIdle(id, owner);
        reject(error);
      };
      const onAbort = () => giveUp(signal?.reason);
      const onTimeout = () => giveUp(refuse(`Timed out waiting for a slot for ${name}`));
      const timer = waitMs === undefined ? undefined : setTimeout(onTimeout, waitMs);
      signal?.addEventListener('abort', onAbort);
      waiting.push(own);
      // The capacity may have grown since the last slot was returned.
      this.#serveWaiting();
    });
  }
}

function comesBefore(a: Owner, b: Owner): boolean {
  return a.running < b.running || (a.running === b.running && a.servedAt < b.servedAt);
}

function refusal(message: string, isOwn: boolean): AppError {
  return new AppError(isOwn ? 'rate_limited' : 'unavailable', message, {
    hint: 'Send fewer at a time, and try again in a few seconds',
  });
}
