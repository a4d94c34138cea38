import type { Database, MeilisearchClient } from '../../backing/index.ts';
import type { Resource } from '../../catalog/index.ts';
import type { Logger } from '../../observability/logger.ts';
import { windows } from './document-sender.ts';
import type { DocumentSenderOptions } from './document-sender.ts';
import { readDocuments, readDocumentsAfter } from './documents.ts';
import type { DocumentRow } from './documents.ts';
import { finishBuild, noteFilled } from './indexes.ts';
import type { IndexRow } from './indexes.ts';
import type { Lease } from './lease.ts';
import { beginSettling, isSettling, readMoved, removeMoved, renameIndexes } from './moves.ts';
import { keepRefused } from './outbox.ts';
import { SpreadSender } from './spread-sender.ts';

/** Records that are read at a time. */
const readSize = 500;
/** How long an index is filled before it is the turn of changes again. */
const fillMs = 1_000;

/** An index being filled, from round to round; `removedTo` is null until all documents are copied. */
type Filling = { uid: string; to: number; sender: SpreadSender; removedTo: number | null };

export type IndexerDeps = Readonly<{ database: Database; client: MeilisearchClient; logger: Logger }>;

export type FillerDeps = IndexerDeps & Readonly<{ lease: Lease; signal: AbortSignal }>;

/** Fills indexes, or moves their documents, for a limited time in each round. */
export class Filler {
  readonly #deps: FillerDeps;
  readonly #fillings = new Map<Resource, Filling>();

  constructor(deps: FillerDeps) {
    this.#deps = deps;
  }

  /** Forgets the filling of a resource, because another index is filled from now on. */
  forget(resource: Resource): void {
    this.#fillings.delete(resource);
  }

  /** Fills an index for a limited time. @returns whether one is being filled. */
  async fill(rows: readonly IndexRow[]): Promise<boolean> {
    const row = rows.find(({ nextUid, mayFill }) => nextUid !== null && mayFill);
    if (row?.nextUid == null) return false;
    const filling = this.#fillingOf(row, row.nextUid);
    const until = Date.now() + fillMs;
    if (filling.removedTo !== null) return this.#settle(row, filling, until);
    const { lease, signal } = this.#deps;
    // Reads the next records while these are being sent.
    for (let next = this.#read(row, filling.to); ;) {
      const { documents, to, isLast } = await next;
      lease.assertHeld();
      filling.to = to;
      const isOver = isLast || Date.now() >= until || signal.aborted;
      if (!isOver) {
        next = this.#read(row, to);
        next.catch(() => {}); // Awaited in the next iteration, unless another fault comes first.
      }
      await filling.sender.add(documents);
      if (isLast) return this.#finish(row, filling, until);
      if (!isOver) continue;
      await filling.sender.flush(); // Otherwise it would compete with changes that are sent before the next round.
      return true;
    }
  }

  async #read(
    row: IndexRow,
    after: number,
  ): Promise<Readonly<{ documents: readonly DocumentRow[]; to: number; isLast: boolean }>> {
    const { database, client } = this.#deps;
    if (row.isMove) return readMoved(database, client, row, after);
    const documents = await readDocumentsAfter(database, row.resource, after, readSize);
    return { documents, to: documents.at(-1)?.id ?? after, isLast: documents.length < readSize };
  }

  async #finish(row: IndexRow, filling: Filling, until: number): Promise<boolean> {
    await keepRefused(this.#deps.database, row.resource, await filling.sender.finish());
    if (!row.isMove) return this.#switch(row);
    filling.removedTo = 0;
    return this.#settle(row, filling, until);
  }

  /** Removes documents from their former members once all of them are on their new ones; then queries can resume. */
  async #settle(row: IndexRow, filling: Filling, until: number): Promise<boolean> {
    const { database, lease, signal } = this.#deps;
    if (!isSettling(row)) await beginSettling(database, row);
    await renameIndexes(this.#deps, row);
    while (!signal.aborted) {
      lease.assertHeld();
      const to = await removeMoved(database, this.#deps, row, filling.removedTo ?? 0);
      if (to === null) return this.#switch(row);
      filling.removedTo = to;
      if (Date.now() >= until) break;
    }
    return true;
  }

  async #switch(row: IndexRow): Promise<boolean> {
    const { database, client, logger } = this.#deps;
    const isDone = await finishBuild(database, client, row);
    this.#fillings.delete(row.resource);
    const { resource, toFill: records } = row;
    if (isDone && row.isMove) logger.info({ resource, records }, 'Meilisearch has moved records to other members');
    else if (isDone) logger.info({ resource, records }, 'Meilisearch has all records');
    return true;
  }

  #fillingOf({ resource, uid: asked, filledTo }: IndexRow, uid: string): Filling {
    const known = this.#fillings.get(resource);
    if (known?.uid === uid) return known;
    const { database, client } = this.#deps;
    const onDelivered = (to: number, count: number) => noteFilled(database, uid, to, count);
    const window = asked === null ? windows.filling : windows.changing;
    const sender = new SpreadSender({
      ...sendingOf(this.#deps, resource, uid),
      members: client.members,
      window,
      onDelivered,
    });
    const filling = { uid, to: filledTo, sender, removedTo: null };
    this.#fillings.set(resource, filling);
    return filling;
  }
}

/** Returns how documents of a resource are sent to an index. */
export function sendingOf(
  { database, signal }: Pick<FillerDeps, 'database' | 'signal'>,
  resource: Resource,
  uid: string,
): Omit<DocumentSenderOptions, 'writer'> {
  const readAgain = (ids: readonly number[]) => readDocuments(database, resource, ids.map(String));
  return { uid, signal, window: windows.changing, readAgain };
}
