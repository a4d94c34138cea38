import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, MeilisearchClient } from '../../backing/index.ts';
import type { Resource } from '../../catalog/index.ts';
import type { Logger } from '../../observability/logger.ts';
import { workedOn, workOn } from '../../observability/metrics/index.ts';
import { DocumentSender, IndexLostError, removeDocuments, windows } from './document-sender.ts';
import type { DocumentSenderOptions, RefusedRecord } from './document-sender.ts';
import { readDocuments, readDocumentsAfter } from './documents.ts';
import { beginBuild, finishBuild, forgetLost, needsBuild, noteFilled, readIndexes } from './indexes.ts';
import type { IndexRow } from './indexes.ts';
import { openLease } from './lease.ts';
import type { Lease } from './lease.ts';
import { keepRefused, noteChanges, readOutbox, settleChanges } from './outbox.ts';
import type { Change } from './outbox.ts';

/** Changes per round, and records that are read at a time. */
const sizes = { changes: 5_000, read: 500 } as const;
/** Pauses: with nothing to send, while another process is the indexer, and after a fault, with back-off. */
const pauses = { idleMs: 150, waitMs: 2_000, faultMs: 500, longestMs: 15_000 } as const;
/** How long an index is filled before changes are sent. */
const fillMs = 1_000;
/** How often the existence of the indexes in Meilisearch is checked. */
const pollMs = 60_000;

export type IndexerDeps = Readonly<{ database: Database; client: MeilisearchClient; logger: Logger }>;

/** Sends changes to Meilisearch and fills its indexes. */
export type Indexer = Readonly<{ close(): Promise<void> }>;

/** A filling that continues from round to round. */
type Filling = { uid: string; to: number; documentSender: DocumentSender };

/**
 * Sends changes to Meilisearch, one message after the other, and fills indexes that are missing or belong to another
 * version. Only one process does this: the one with the lease.
 */
export function startIndexer(deps: IndexerDeps): Indexer {
  const stopping = new AbortController();
  const lease = openLease(deps.database, randomUUID());
  const running = run(deps, lease, stopping.signal);
  return {
    async close() {
      stopping.abort();
      await running;
      await lease.release().catch(() => {}); // The database is unavailable: the lease expires.
    },
  };
}

/** Label for event loop time. */
const loopLabel = { route: 'indexer' } as const;

async function run(deps: IndexerDeps, lease: Lease, signal: AbortSignal): Promise<void> {
  const { logger } = deps;
  let indexerRun: IndexerRun | null = null;
  let fault: number = pauses.faultMs;
  while (!signal.aborted) {
    let pause = 0;
    try {
      if (indexerRun === null) await noteChanges(deps.database);
      if (await lease.hold()) {
        indexerRun ??= new IndexerRun(deps, lease, signal);
        workOn(loopLabel);
        pause = (await indexerRun.round()) ? 0 : pauses.idleMs;
        workedOn(loopLabel);
        fault = pauses.faultMs;
      } else {
        indexerRun = null;
        pause = pauses.waitMs;
      }
    } catch (error) {
      indexerRun = null;
      if (signal.aborted) return;
      logger.warn({ error: String((error as Error).cause ?? error) }, 'cannot send changes to Meilisearch');
      pause = fault;
      fault = Math.min(fault * 2, pauses.longestMs);
    }
    if (pause > 0) await sleep(pause, undefined, { signal }).catch(() => {});
  }
}

class IndexerRun {
  readonly #deps: IndexerDeps;
  readonly #lease: Lease;
  readonly #signal: AbortSignal;
  readonly #fillings = new Map<Resource, Filling>();
  #polledAt = 0;

  constructor(deps: IndexerDeps, lease: Lease, signal: AbortSignal) {
    this.#deps = deps;
    this.#lease = lease;
    this.#signal = signal;
  }

  /** @returns whether there is more to do at once. */
  async round(): Promise<boolean> {
    const { database, client } = this.#deps;
    try {
      let rows = await readIndexes(database);
      if (Date.now() - this.#polledAt > pollMs) {
        await forgetLost(database, client.writer, rows);
        this.#polledAt = Date.now();
        rows = await readIndexes(database);
      }
      for (const row of rows.filter(needsBuild)) {
        await beginBuild(database, { writer: client.writer, signal: this.#signal }, row);
        this.#fillings.delete(row.resource);
      }
      rows = await readIndexes(database);
      const hasIndexed = await this.#sendChanges(rows);
      const hasFilled = await this.#fill(rows);
      return hasIndexed || hasFilled;
    } catch (error) {
      if (!(error instanceof IndexLostError)) throw error;
      this.#polledAt = 0; // The next round recreates it.
      this.#fillings.clear();
      return true;
    }
  }

  async #sendChanges(rows: readonly IndexRow[]): Promise<boolean> {
    const { database } = this.#deps;
    const read = await readOutbox(database, sizes.changes);
    if (read.changes.length === 0) return false;
    for (const { resource, uid, nextUid } of rows) {
      const changes = read.changes.filter((change) => change.resource === resource);
      const uids = [uid, nextUid].filter((each) => each !== null);
      if (changes.length === 0 || uids.length === 0) continue;
      const refused = await this.#send(resource, changes, uids);
      await settleChanges(database, { ...read, changes }, refused);
    }
    return read.changes.length === sizes.changes;
  }

  async #send(resource: Resource, changes: readonly Change[], uids: readonly string[]): Promise<RefusedRecord> {
    const { database } = this.#deps;
    const documentSenders = uids.map((uid) => new DocumentSender(this.#optionsOf(resource, uid)));
    const gone: string[] = [];
    for (let at = 0; at < changes.length; at += sizes.read) {
      const rowIds = changes.slice(at, at + sizes.read).map(({ rowId }) => rowId);
      const documents = await readDocuments(database, resource, rowIds);
      const present = new Set(documents.map(({ id }) => id));
      gone.push(...rowIds.filter((rowId) => !present.has(Number(rowId))));
      this.#lease.assertHeld();
      for (const documentSender of documentSenders) await documentSender.add(documents);
    }
    const refused = new Map<number, string>();
    for (const documentSender of documentSenders)
      for (const [id, error] of await documentSender.finish()) refused.set(id, error);
    for (const uid of uids) await removeDocuments(this.#optionsOf(resource, uid), gone);
    return refused;
  }

  #optionsOf(resource: Resource, uid: string): DocumentSenderOptions {
    const { database, client } = this.#deps;
    const readAgain = (ids: readonly number[]) => readDocuments(database, resource, ids.map(String));
    return { writer: client.writer, uid, signal: this.#signal, window: windows.changing, readAgain };
  }

  /** Fills for a limited time. @returns whether an index is being filled. */
  async #fill(rows: readonly IndexRow[]): Promise<boolean> {
    const row = rows.find(({ nextUid, mayFill }) => nextUid !== null && mayFill);
    if (row?.nextUid == null) return false;
    const { database } = this.#deps;
    const filling = this.#fillingOf(row, row.nextUid);
    const until = Date.now() + fillMs;
    const read = () => readDocumentsAfter(database, row.resource, filling.to, sizes.read);
    // The next records are read while these are sent.
    for (let next = read(); ;) {
      const documents = await next;
      this.#lease.assertHeld();
      filling.to = documents.at(-1)?.id ?? filling.to;
      const isLast = documents.length < sizes.read;
      const isOver = isLast || Date.now() >= until || this.#signal.aborted;
      if (!isOver) {
        next = read();
        next.catch(() => {}); // Awaited in the next iteration, unless another fault comes first.
      }
      await filling.documentSender.add(documents);
      if (isLast) return this.#finish(row, filling);
      if (!isOver) continue;
      await filling.documentSender.flush(); // Otherwise it would compete with changes that are sent before the next round.
      return true;
    }
  }

  async #finish(row: IndexRow, { documentSender }: Filling): Promise<boolean> {
    const { database, client, logger } = this.#deps;
    await keepRefused(database, row.resource, await documentSender.finish());
    const isDone = await finishBuild(database, client.writer, row);
    this.#fillings.delete(row.resource);
    if (isDone) logger.info({ resource: row.resource, records: row.toFill }, 'Meilisearch has all records');
    return true;
  }

  #fillingOf({ resource, uid: asked, filledTo }: IndexRow, uid: string): Filling {
    const known = this.#fillings.get(resource);
    if (known?.uid === uid) return known;
    const { database } = this.#deps;
    const onDelivered = (to: number, count: number) => noteFilled(database, uid, to, count);
    const window = asked === null ? windows.filling : windows.changing;
    const documentSender = new DocumentSender({ ...this.#optionsOf(resource, uid), window, onDelivered });
    const filling = { uid, to: filledTo, documentSender };
    this.#fillings.set(resource, filling);
    return filling;
  }
}
