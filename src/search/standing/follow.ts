import type { Notifications } from '../../backing/index.ts';
import { lastNotification, readNotifications } from '../../notifications/index.ts';
import type { Notification, WatchedName } from '../../notifications/index.ts';
import type { Resource } from '../../catalog/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { findAgain, readHead } from './watched.ts';

/** How often the followers of a process poll, even without a notification. */
const pollMs = 500;

type FollowOptions = Readonly<{
  formula: WatchedName;
  /** Only events after this number; null for those from now on. */
  after: number | null;
  /** Kinds of records that the reader is allowed to see. */
  resources: readonly Resource[];
  /** Ends the stream. */
  signal?: AbortSignal | undefined;
}>;

/** The last value that a reader gets: the formula was deleted, or no longer watches. */
type FormulaEnded = Readonly<{ kind: 'formula.ended' }>;

/** What a reader of a standing formula gets. */
type FollowedEvent = Notification | FormulaEnded;

/**
 * Follows the events of a standing formula in order and without gaps, whichever process they come from and whatever
 * the formula is called by then. Ends when it no longer watches.
 */
export async function followMatches(
  db: TenantDb,
  notifications: Notifications,
  { formula, after, resources, signal }: FollowOptions,
): Promise<AsyncIterableIterator<FollowedEvent>> {
  // After a backup was restored, a reader may have a number that is later than the last one.
  const last = await lastNotification(db);
  const from = Math.min(after ?? last, last);
  const follower = new Follower(db, { formula, from, resources });
  const forget = join(notifications, db.tenantId, follower.wake);
  const onAbort = () => void follower.return();
  follower.onEnd = () => {
    forget();
    signal?.removeEventListener('abort', onAbort);
  };
  if (signal?.aborted) await follower.return();
  else signal?.addEventListener('abort', onAbort, { once: true });
  return follower;
}

type Result = IteratorResult<FollowedEvent, undefined>;
const done: Result = { done: true, value: undefined };

/** Not a generator, because a generator that waits for its next event cannot be ended before that event comes. */
class Follower implements AsyncIterableIterator<FollowedEvent> {
  onEnd = () => {};
  readonly #db: TenantDb;
  readonly #resources: readonly Resource[];
  readonly #ready: FollowedEvent[] = [];
  readonly #waiting: ((result: Result) => void)[] = [];
  #formula: WatchedName;
  /** The version of the tenant's formulas when this one was last looked up. */
  #version: number | null = null;
  #after: number;
  #isReading = false;
  #isStale = false;
  #hasEnded = false;

  constructor(
    db: TenantDb,
    { formula, from, resources }: Readonly<{ formula: WatchedName; from: number; resources: readonly Resource[] }>,
  ) {
    this.#db = db;
    this.#formula = formula;
    this.#resources = resources;
    this.#after = from;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  readonly wake = (): void => {
    this.#isStale = true;
    if (this.#waiting.length > 0 && !this.#isReading) void this.#read();
  };

  next(): Promise<Result> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#settle();
      if (this.#waiting.length > 0) this.wake();
    });
  }

  return(): Promise<Result> {
    if (!this.#hasEnded) {
      this.#hasEnded = true;
      this.onEnd();
    }
    this.#settle();
    return Promise.resolve(done);
  }

  #settle(): void {
    while (this.#waiting.length > 0 && (this.#hasEnded || this.#ready.length > 0)) {
      const value = this.#hasEnded ? undefined : this.#ready.shift();
      this.#waiting.shift()?.(value === undefined ? done : { done: false, value });
      if (value?.kind === 'formula.ended') void this.return();
    }
  }

  /** Reads as long as somebody waits and there may be news. A read that fails is retried by the next poll. */
  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#isStale && this.#waiting.length > 0 && !this.#hasEnded) {
        this.#isStale = false;
        if (await this.#readOnce()) this.#isStale = true;
        this.#settle();
      }
    } catch {
      // The database is unavailable; the next poll tries again.
    } finally {
      this.#isReading = false;
    }
  }

  /** @returns whether there may be more. */
  async #readOnce(): Promise<boolean> {
    const { last, version } = await readHead(this.#db);
    const found = version === this.#version ? this.#formula : await findAgain(this.#db, this.#formula);
    if (found !== null) [this.#formula, this.#version] = [found, version];
    // A formula that has ended may still have events after the number read before.
    if (found !== null && last <= this.#after) return false;
    // Every reader has a buffer of its own, so reads are kept small.
    const limit = 100;
    const events = await readNotifications(this.#db, { after: this.#after, limit, formula: this.#formula });
    const hasMore = events.length === limit;
    this.#after = Math.max(hasMore ? 0 : last, events.at(-1)?.number ?? this.#after);
    this.#ready.push(...events.filter(({ resource }) => resource === null || this.#resources.includes(resource)));
    if (found === null && !hasMore) this.#ready.push({ kind: 'formula.ended' });
    return hasMore;
  }
}

type Registry = Readonly<{ wakers: Map<number, Set<() => void>>; stop(): void }>;

/** One per listening connection, and therefore one per process. */
const registries = new WeakMap<Notifications, Registry>();

function join(notifications: Notifications, tenantId: number, wake: () => void): () => void {
  const registry = registries.get(notifications) ?? startRegistry(notifications);
  registries.set(notifications, registry);
  const own = registry.wakers.get(tenantId) ?? new Set();
  registry.wakers.set(tenantId, own.add(wake));
  return () => {
    own.delete(wake);
    if (own.size === 0) registry.wakers.delete(tenantId);
    if (registry.wakers.size > 0 || registries.get(notifications) !== registry) return;
    registry.stop();
    registries.delete(notifications);
  };
}

function startRegistry(notifications: Notifications): Registry {
  const wakers = new Map<number, Set<() => void>>();
  const forget = notifications.on('vitrine_notification', (payload) => {
    for (const wake of wakers.get(Number(payload)) ?? []) wake();
  });
  const timer = setInterval(() => {
    for (const own of wakers.values()) for (const wake of own) wake();
  }, pollMs);
  return {
    wakers,
    stop() {
      clearInterval(timer);
      forget();
    },
  };
}
