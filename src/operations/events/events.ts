import type { Notifications } from '../../backing/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { closeEventReader, openEventReader } from './event-reader.ts';
import type { EventReader, OperationEvent } from './event-reader.ts';

export { eventTypes } from './event-reader.ts';
export type { OperationEvent } from './event-reader.ts';

/**
 * Minimum time between two progress events for one reader. A reader gets at most nine per second, besides the three
 * other events of an operation, and the last event is never delayed.
 */
const progressMs = 115;

type WatchOptions = Readonly<{
  /** Only events after this sequence number. */
  after?: number | undefined;
  /** Ends the subscription. */
  signal?: AbortSignal | undefined;
}>;

/**
 * Follows an operation: returns the log entries after `after`, then new events until the last one. A slow reader gets
 * only the newest progress; counters are totals, so nothing is lost. This includes events from other processes, and
 * from times when the database was unavailable.
 *
 * @returns null if the tenant has no such operation.
 */
export async function watchOperation(
  db: TenantDb,
  notifications: Notifications,
  id: number,
  { after = 0, signal }: WatchOptions = {},
): Promise<AsyncIterableIterator<OperationEvent> | null> {
  const reader = openEventReader(db, notifications, id);
  const onAbort = () => void watch.return();
  const watch = new OperationWatch(reader, after, () => {
    signal?.removeEventListener('abort', onAbort);
    if (reader.readers === 0) closeEventReader(notifications, reader);
  });
  try {
    await reader.ready;
  } catch (error) {
    await watch.return();
    throw error;
  }
  if (reader.events.length === 0 || signal?.aborted) await watch.return();
  else signal?.addEventListener('abort', onAbort, { once: true });
  return reader.events.length === 0 ? null : watch;
}

type Result = IteratorResult<OperationEvent, undefined>;
const done: Result = { done: true, value: undefined };

/** Not a generator, because a generator that waits for its next event cannot be ended before that event comes. */
class OperationWatch implements AsyncIterableIterator<OperationEvent> {
  readonly #reader: EventReader;
  readonly #after: number;
  readonly #close: () => void;
  readonly #waiting: ((result: Result) => void)[] = [];
  readonly #wake = () => this.#settle();
  /** Number of events that this reader has passed. */
  #position = 0;
  #progressAt = 0;
  #pause: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(reader: EventReader, after: number, close: () => void) {
    this.#reader = reader;
    this.#after = after;
    this.#close = close;
    reader.join(this.#wake);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#settle();
    });
  }

  return(): Promise<Result> {
    this.#end();
    return Promise.resolve(done);
  }

  throw(error: unknown): Promise<Result> {
    this.#end();
    return Promise.reject(error);
  }

  #settle(): void {
    if (this.#hasEnded) return this.#end();
    while (this.#waiting.length > 0) {
      const event = this.#peek();
      if (event === undefined) {
        if (this.#reader.isOver) this.#end();
        return;
      }
      if (event.type === 'progress' && this.#mustPause()) return;
      this.#position = this.#reader.events.indexOf(event, this.#position) + 1;
      this.#waiting.shift()?.({ done: false, value: event });
    }
  }

  /** The next event for this reader. Progress is skipped if anything newer is known. */
  #peek(): OperationEvent | undefined {
    const { events } = this.#reader;
    for (let at = this.#position; at < events.length; at += 1) {
      const event = events[at] as OperationEvent;
      if (event.sequence <= this.#after) continue;
      if (event.type !== 'progress' || at === events.length - 1) return event;
    }
    return undefined;
  }

  /** Whether the last progress event was too recent; if so, arranges to check again after the pause. */
  #mustPause(): boolean {
    const now = performance.now();
    const left = this.#progressAt + progressMs - now;
    if (this.#progressAt === 0 || left <= 0) {
      this.#progressAt = now;
      return false;
    }
    this.#pause ??= setTimeout(() => {
      this.#pause = undefined;
      this.#settle();
    }, left);
    return true;
  }

  #end(): void {
    if (!this.#hasEnded) {
      this.#hasEnded = true;
      clearTimeout(this.#pause);
      this.#reader.leave(this.#wake);
      this.#close();
    }
    for (const resolve of this.#waiting.splice(0)) resolve(done);
  }
}
