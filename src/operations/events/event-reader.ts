import type { Notifications } from '../../backing/index.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { operationEvents } from '../statements.ts';

/**
 * Event types of an operation, in order. Those in the middle may be missing or repeat; either of the last two ends
 * it.
 */
export const eventTypes = ['queued', 'started', 'progress', 'finished', 'aborted'] as const;
type OperationEventType = (typeof eventTypes)[number];

/** One entry of an operation's log, with the counters at that time. */
export type OperationEvent = Readonly<{
  operationId: number;
  sequence: number;
  at: Date;
  type: OperationEventType;
  numTotal: number;
  numGood: number;
  numBad: number;
  /** Elements of the second stage. */
  numToAnalyze: number;
  numAnalyzed: number;
  numAnalysisBad: number;
}>;

function isLast({ type }: OperationEvent): boolean {
  return type === 'finished' || type === 'aborted';
}

/** Polling interval. If a notification is lost, events are late by at most this, plus the read itself. */
export const eventPollMs = 400;
/** Minimum time between two reads of an operation that progress notifications cause. */
const hintMs = 100;

type EventRow = Readonly<{
  /** Only events after this sequence number were requested. */
  asked: number;
  operationId: number;
  sequence: number;
  at: Date;
  type: OperationEventType;
  data: Readonly<{
    num_total?: number;
    num_good?: number;
    num_bad?: number;
    num_to_analyze?: number;
    num_analyzed?: number;
    num_analysis_bad?: number;
  }>;
}>;

/**
 * The log of one operation, as far as this process knows it; shared by all who follow the operation in this process.
 */
export class EventReader {
  readonly id: number;
  readonly tenantId: number;
  readonly events: OperationEvent[] = [];
  /** The first read of the table. If it finds no events, the tenant has no such operation. */
  readonly ready: Promise<void>;
  readonly #db: TenantDb;
  readonly #readers = new Set<() => void>();
  #polling: Promise<void> | null = null;
  #isStale = false;
  #polledAt = 0;
  #hint: NodeJS.Timeout | undefined;

  constructor(db: TenantDb, id: number) {
    this.#db = db;
    this.tenantId = db.tenantId;
    this.id = id;
    this.ready = this.poll();
  }

  get isOver(): boolean {
    const last = this.events.at(-1);
    return last !== undefined && isLast(last);
  }

  /** Adds a reader: a function called after each read that found something. */
  join(reader: () => void): void {
    this.#readers.add(reader);
  }

  leave(reader: () => void): void {
    this.#readers.delete(reader);
    if (this.#readers.size === 0) clearTimeout(this.#hint);
  }

  /** Number of readers. */
  get readers(): number {
    return this.#readers.size;
  }

  /**
   * Handles a notification of new events: reads the end at once, progress a little later, together with whatever
   * follows.
   */
  notify(what: string): void {
    if (what === 'finished') return void this.poll().catch(() => {});
    if (this.#hint !== undefined) return;
    const pause = Math.max(0, this.#polledAt + hintMs - Date.now());
    this.#hint = setTimeout(() => {
      this.#hint = undefined;
      this.poll().catch(() => {}); // The next regular read tries again.
    }, pause);
  }

  /** Reads new events. If a read is in progress, another one follows. */
  poll(): Promise<void> {
    if (this.isOver) return Promise.resolve();
    this.#isStale = true;
    this.#polling ??= this.#read().finally(() => (this.#polling = null));
    return this.#polling;
  }

  async #read(): Promise<void> {
    while (this.#isStale && !this.isOver) {
      this.#isStale = false;
      this.#polledAt = Date.now();
      const after = this.events.at(-1)?.sequence ?? 0;
      const rows = await this.#db.batchLoad('operation-events', `${this.id}:${after}`, (keys) => load(this.#db, keys));
      if (rows === undefined) continue;
      for (const row of rows) this.events.push(toEvent(row, this.events.at(-1)));
      for (const wake of [...this.#readers]) wake();
    }
  }
}

/** Reads the events of several operations of a tenant in one statement; a key is `id:after`. */
async function load(db: TenantDb, keys: readonly string[]): Promise<ReadonlyMap<string, EventRow[]>> {
  const asked = keys.map((key) => key.split(':').map(Number));
  const values = [asked.map(([id]) => id), asked.map(([, after]) => after)];
  const { rows } = await db.query<EventRow>(operationEvents, values);
  return groupBy(rows, (row) => `${row.operationId}:${row.asked}`);
}

/** Entries contain only the counters that they change; the others are those of the previous entry. */
function toEvent(
  { operationId, sequence, at, type, data }: EventRow,
  before: OperationEvent | undefined,
): OperationEvent {
  return {
    operationId,
    sequence,
    at,
    type,
    numTotal: data.num_total ?? before?.numTotal ?? 0,
    numGood: data.num_good ?? before?.numGood ?? 0,
    numBad: data.num_bad ?? before?.numBad ?? 0,
    numToAnalyze: data.num_to_analyze ?? before?.numToAnalyze ?? 0,
    numAnalyzed: data.num_analyzed ?? before?.numAnalyzed ?? 0,
    numAnalysisBad: data.num_analysis_bad ?? before?.numAnalysisBad ?? 0,
  };
}

type ReaderRegistry = Readonly<{
  /**
   * Event readers by operation. Usually one each; a request for another tenant's operation gets a separate, empty
   * one.
   */
  feeds: Map<number, EventReader[]>;
  stop(): void;
}>;

/** One per listening connection, and therefore one per process. */
const registries = new WeakMap<Notifications, ReaderRegistry>();

/** The event reader of an operation, shared by all who follow it for this tenant in this process. */
export function openEventReader(db: TenantDb, notifications: Notifications, id: number): EventReader {
  let registry = registries.get(notifications);
  if (registry === undefined) registries.set(notifications, (registry = startRegistry(notifications)));
  const known = registry.feeds.get(id) ?? [];
  const own = known.find(({ tenantId }) => tenantId === db.tenantId);
  if (own !== undefined) return own;
  const reader = new EventReader(db, id);
  registry.feeds.set(id, [...known, reader]);
  return reader;
}

/** Removes an event reader that nobody uses; stops the registry after the last one. */
export function closeEventReader(notifications: Notifications, reader: EventReader): void {
  const registry = registries.get(notifications);
  if (registry === undefined) return;
  const others = (registry.feeds.get(reader.id) ?? []).filter((other) => other !== reader);
  if (others.length > 0) registry.feeds.set(reader.id, others);
  else registry.feeds.delete(reader.id);
  if (registry.feeds.size > 0) return;
  registry.stop();
  registries.delete(notifications);
}

function startRegistry(notifications: Notifications): ReaderRegistry {
  const feeds = new Map<number, EventReader[]>();
  const forget = notifications.on('vitrine_operation', (payload) => {
    const [id, what = ''] = payload.split(':');
    for (const reader of feeds.get(Number(id)) ?? []) reader.notify(what);
  });
  const timer = setInterval(() => {
    for (const reader of [...feeds.values()].flat()) reader.poll().catch(() => {}); // The next one tries again.
  }, eventPollMs);
  return {
    feeds,
    stop() {
      clearInterval(timer);
      forget();
    },
  };
}
