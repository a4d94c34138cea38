export type ByteBudgetOptions = Readonly<{
  /**
   * Limits in bytes: for all owners together, for each owner, and what an owner that holds nothing may always hold
   * (`first`).
   */
  all: number;
  each: number;
  first: number;
}>;

/** Bytes that are held for an owner until they are released. */
export type Hold = Readonly<{
  /** Reduces the hold to the bytes that are actually needed. */
  shrinkTo: (bytes: number) => void;
  release: () => void;
}>;

type Owner = { held: number; readonly waiting: Readonly<{ bytes: number; begin: (hold: Hold) => void }>[] };

/**
 * Memory for source files, shared by owners (tenants, by id): the owner that holds least is served next. Requests of
 * the same owner are served in order.
 */
export class ByteBudget {
  readonly #options: ByteBudgetOptions;
  readonly #owners = new Map<number, Owner>();
  #held = 0;

  constructor(options: ByteBudgetOptions) {
    this.#options = options;
  }

  /** Bytes that all owners hold together. */
  get held(): number {
    return this.#held;
  }

  /** Waits until the owner may hold this many bytes. @throws the reason of the signal. */
  async hold(id: number, bytes: number, signal?: AbortSignal): Promise<Hold> {
    signal?.throwIfAborted();
    let owner = this.#owners.get(id);
    if (owner === undefined) this.#owners.set(id, (owner = { held: 0, waiting: [] }));
    const { waiting } = owner;
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.splice(waiting.indexOf(mine), 1);
        reject(signal?.reason as Error);
        this.#serve(); // The others may have waited for this request.
      };
      const begin = (hold: Hold) => {
        signal?.removeEventListener('abort', leave);
        resolve(hold);
      };
      const mine = { bytes, begin };
      signal?.addEventListener('abort', leave);
      waiting.push(mine);
      this.#serve();
    });
  }

  #serve(): void {
    for (;;) {
      const [id, owner] = this.#next() ?? [];
      const next = owner?.waiting[0];
      if (id === undefined || owner === undefined || next === undefined) return;
      // Nothing may overtake a large request, or that would wait forever.
      if (!this.#hasRoom(owner, next.bytes)) return;
      owner.waiting.shift();
      next.begin(this.#take(id, owner, next.bytes));
    }
  }

  /** Of the owners that may hold more, returns the one that holds least. */
  #next(): [number, Owner] | undefined {
    let first: [number, Owner] | undefined;
    for (const entry of this.#owners) {
      const [, { held, waiting }] = entry;
      const bytes = waiting[0]?.bytes;
      if (bytes === undefined || (held > 0 && held + bytes > this.#options.each)) continue;
      if (first === undefined || held < first[1].held) first = entry;
    }
    return first;
  }

  #hasRoom({ held }: Owner, bytes: number): boolean {
    const { all, first } = this.#options;
    return this.#held === 0 || this.#held + bytes <= all || (held === 0 && bytes <= first);
  }

  #take(id: number, owner: Owner, bytes: number): Hold {
    let mine = bytes;
    const change = (by: number) => {
      mine += by;
      owner.held += by;
      this.#held += by;
    };
    owner.held += bytes;
    this.#held += bytes;
    const shrinkTo = (most: number) => {
      if (mine <= most) return;
      change(most - mine);
      if (owner.held === 0 && owner.waiting.length === 0) this.#owners.delete(id);
      this.#serve();
    };
    return { shrinkTo, release: () => shrinkTo(0) };
  }
}
