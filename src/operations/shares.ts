/** Runs `work` for an owner as soon as its turn comes. */
export type Shares = <T>(owner: number, work: () => Promise<T>) => Promise<T>;

export type SharesOptions = Readonly<{
  /** Works that run at the same time; a function is asked whenever one begins or ends. */
  all: number | (() => number);
  /** Works of one owner among them. */
  each?: number;
  /** Up to so many run when those beyond `all` are the first of their owner. */
  withOwn?: number;
}>;

/** Work that has begun. What comes of it is in an object, so that whoever waits for the beginning does not wait for the end. */
export type Begun<T> = Readonly<{ result: Promise<T> }>;

/** Resolves when the owner's turn has come and the work begins. */
export function begun<T>(shares: Shares, owner: number, work: () => Promise<T>): Promise<Begun<T>> {
  return new Promise((resolve) => {
    const result = shares(owner, () => {
      resolve({ result });
      return work();
    });
  });
}

type Owner = { running: number; servedAt: number; readonly waiting: (() => void)[] };

/**
 * Shares a scarce thing out among owners: who has least of it now comes first, then who has waited
 * longest since being served. However much one owner asks for, another one's single work is next.
 */
export function createShares({ all, each = Infinity, withOwn = 0 }: SharesOptions): Shares {
  const most = typeof all === 'number' ? () => all : all;
  const owners = new Map<number, Owner>();
  let running = 0;
  let clock = 0;

  function mayRun(owner: Owner): boolean {
    if (owner.waiting.length === 0 || owner.running >= each) return false;
    return running < most() || (owner.running === 0 && running < withOwn);
  }

  function comesBefore(a: Owner, b: Owner): boolean {
    return a.running < b.running || (a.running === b.running && a.servedAt < b.servedAt);
  }

  function next(): void {
    for (;;) {
      let chosen: Owner | undefined;
      for (const owner of owners.values()) {
        if (mayRun(owner) && (chosen === undefined || comesBefore(owner, chosen))) chosen = owner;
      }
      const begin = chosen?.waiting.shift();
      if (chosen === undefined || begin === undefined) return;
      chosen.running += 1;
      chosen.servedAt = clock += 1;
      running += 1;
      begin();
    }
  }

  return async (id, work) => {
    let owner = owners.get(id);
    if (owner === undefined) owners.set(id, (owner = { running: 0, servedAt: 0, waiting: [] }));
    const { waiting } = owner;
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      next();
    });
    try {
      return await work();
    } finally {
      owner.running -= 1;
      running -= 1;
      if (owner.running === 0 && waiting.length === 0) owners.delete(id);
      next();
    }
  };
}
