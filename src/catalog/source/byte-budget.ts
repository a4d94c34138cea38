export type ByteBudgetOptions = Readonly<{
  /** Bytes that all owners hold together, and one of them; one that holds nothing may always hold `first`. */
  all: number;
  each: number;
  first: number;
}>;

/** Bytes that are held for an owner, until they are released. */
export type Hold = Readonly<{
  /** As many as are needed after all. */
  shrinkTo: (bytes: number) => void;
  release: () => void;
}>;

type Owner = { held: number; readonly waiting: Readonly<{ bytes: number; begin: (hold: Hold) => void }>[] };

/**
 * Memory for the files of sources, shared out among owners (tenants, by id): next is the one that holds least. What an
 * owner asks for first it gets first.
 */
export class ByteBudget {
  readonly #options: ByteBudgetOptions;
  readonly #owners = new Map<number, Owner>();
  #held = 0;

  constructor(options: ByteBudgetOptions) {
    this.#options = options;
  }

  /** Bytes that are held by all owners. */
  get held(): number {
    return this.#held;
  }

  /** Waits until the owner may hold so many bytes. @throws the reason of the signal. */
  async hold(id: number, bytes: number, signal?: AbortSignal): Promise<Hold> {
    signal?.throwIfAborted();
    let owner = this.#owners.get(id);
    if (owner === undefined) this.#owners.set(id, (owner = { held: 0, waiting: [] }));
    const { waiting } = owner;
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.splice(waiting.indexOf(mine), 1);
        reject(signal?.reason as Error);
        this.#serve(); // It may have been what the others waited for.
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
      // Nobody slips by what is large, or it would wait for ever.
      if (!this.#hasRoom(owner, next.bytes)) return;
      owner.waiting.shift();
      next.begin(this.#take(id, owner, next.bytes));
    }
  }

  /** The owner that holds least, of those that may hold more. */
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
