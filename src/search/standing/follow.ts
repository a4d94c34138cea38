import type { Notifications } from '../../backing/index.ts';
import { lastNotification, readNotifications } from '../../notifications/index.ts';
import type { Notification } from '../../notifications/index.ts';
import type { Resource } from '../../catalog/index.ts';
import type { TenantDb } from '../../tenants/index.ts';

/** Interval at which all followers of a process poll even without a notification. */
const pollMs = 500;

type FollowOptions = Readonly<{
  /** Name of the standing formula. */
  formula: string;
  /** Only events after this number; null for those from now on. */
  after: number | null;
  /** Kinds of records that the reader may see. */
  resources: readonly Resource[];
  /** Ends the stream. */
  signal?: AbortSignal | undefined;
}>;

/** Follows the events of a standing formula in order and without gaps, whichever process they come from. */
export async function followMatches(
  db: TenantDb,
  notifications: Notifications,
  { formula, after, resources, signal }: FollowOptions,
): Promise<AsyncIterableIterator<Notification>> {
  const from = after ?? (await lastNotification(db));
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

type Result = IteratorResult<Notification, undefined>;
const done: Result = { done: true, value: undefined };

/** Not a generator, because a generator that waits for its next event cannot be ended before that event comes. */
class Follower implements AsyncIterableIterator<Notification> {
  onEnd = () => {};
  readonly #db: TenantDb;
  readonly #formula: string;
  readonly #resources: readonly Resource[];
  readonly #ready: Notification[] = [];
  readonly #waiting: ((result: Result) => void)[] = [];
  #after: number;
  #isReading = false;
  #isStale = false;
  #hasEnded = false;

  constructor(
    db: TenantDb,
    { formula, from, resources }: Readonly<{ formula: string; from: number; resources: readonly Resource[] }>,
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
    }
  }

  /** Reads while somebody waits and there may be something new. A failed read is retried with the next poll. */
  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#isStale && this.#waiting.length > 0 && !this.#hasEnded) {
        this.#isStale = false;
        if (await this.#readOnce()) this.#isStale = true;
        this.#settle();
      }
    } catch {
      // The database is unavailable.
    } finally {
      this.#isReading = false;
    }
  }

  /** @returns whether there may be more. */
  async #readOnce(): Promise<boolean> {
    const last = await lastOf(this.#db);
    if (last <= this.#after) return false;
    // Each reader has its own buffer, so reads are kept small.
    const limit = 100;
    const found = await readNotifications(this.#db, { after: this.#after, limit, formula: this.#formula });
    this.#after = found.length < limit ? Math.max(last, found.at(-1)?.number ?? 0) : (found.at(-1)?.number ?? last);
    this.#ready.push(...found.filter(({ resource }) => resource === null || this.#resources.includes(resource)));
    return found.length === limit;
  }
}

/** Reads the last number with one statement for all followers of a tenant that poll at the same time. */
async function lastOf(db: TenantDb): Promise<number> {
  const last = await db.batchLoad(
    'last-notification',
    'last',
    async () => new Map([['last', await lastNotification(db)]]),
  );
  return last ?? 0;
}

type Registry = Readonly<{ wakers: Map<number, Set<() => void>>; stop(): void }>;

/** One per listening connection, so one per process. */
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
