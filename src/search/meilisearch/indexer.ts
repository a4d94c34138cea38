import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MeilisearchClient, MeilisearchMember } from '../../backing/index.ts';
import { workedOn, workOn } from '../../observability/metrics/index.ts';
import { IndexLostError, removeDocuments } from './document-sender.ts';
import type { RefusedRecord } from './document-sender.ts';
import { readDocuments } from './documents.ts';
import { Filler, sendingOf } from './filling.ts';
import type { FillerDeps, IndexerDeps } from './filling.ts';
import { adoptIndexes, beginBuild, readIndexes, indexTaskOf } from './indexes.ts';
import type { IndexRow } from './indexes.ts';
import { openLease } from './lease.ts';
import { forgetLost } from './lost-indexes.ts';
import { findMembers, memberNames, groupByOwner, withEach } from './members.ts';
import { beginMove, cancelMove, isSettling, newcomersOf, removeFromFormer, renameIndexes } from './moves.ts';
import { noteChanges, readOutbox, settleChanges } from './outbox.ts';
import type { Change } from './outbox.ts';
import { joinMembers } from './search-members.ts';
import { SpreadSender } from './spread-sender.ts';

/** Changes per round, and records read at a time. */
const sizes = { changes: 5_000, read: 500 } as const;
/** Pauses: when there is nothing to send, while another process is the indexer, and after a fault, with back-off. */
const pauses = { idleMs: 150, waitMs: 2_000, faultMs: 500, longestMs: 15_000 } as const;
/** How often members are told about each other, and whether their indexes still exist is checked. */
const pollMs = 60_000;

/** Sends changes to Meilisearch and fills its indexes. */
export type Indexer = Readonly<{ close(): Promise<void> }>;

/**
 * Sends changes to Meilisearch, one message after the other, and fills indexes that are missing or made by another
 * version. Only one process does this: the one that holds the lease.
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

async function run(deps: IndexerDeps, lease: FillerDeps['lease'], signal: AbortSignal): Promise<void> {
  const { logger } = deps;
  let indexerRun: IndexerRun | null = null;
  let fault: number = pauses.faultMs;
  while (!signal.aborted) {
    let pause = 0;
    try {
      if (indexerRun === null) await noteChanges(deps.database);
      if (await lease.hold()) {
        indexerRun ??= new IndexerRun({ ...deps, lease, signal });
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
  readonly #deps: FillerDeps;
  #filler: Filler;
  #polledAt = 0;

  constructor(deps: FillerDeps) {
    this.#deps = deps;
    this.#filler = new Filler(deps);
  }

  /** @returns whether there is more to do right away. */
  async round(): Promise<boolean> {
    const { database, client } = this.#deps;
    try {
      let rows = await readIndexes(database);
      if (Date.now() - this.#polledAt > pollMs) {
        await joinMembers(client);
        await adoptIndexes(database, client, rows);
        await forgetLost(database, this.#deps, await readIndexes(database));
        this.#polledAt = Date.now();
        rows = await readIndexes(database);
        for (const row of rows.filter(isSettling)) await renameIndexes(this.#deps, row);
      }
      for (const row of rows) await this.#begin(row);
      rows = await readIndexes(database);
      const hasIndexed = await this.#sendChanges(rows);
      const hasFilled = await this.#filler.fill(rows);
      return hasIndexed || hasFilled;
    } catch (error) {
      if (!(error instanceof IndexLostError)) throw error;
      this.#polledAt = 0; // The next round recreates it.
      this.#filler = new Filler(this.#deps);
      return true;
    }
  }

  /** Starts building or moving the index of a resource, if that is needed. */
  async #begin(row: IndexRow): Promise<void> {
    const { database, client } = this.#deps;
    const task = indexTaskOf(row, memberNames(client.members));
    if (task === null) return;
    this.#filler.forget(row.resource);
    if (task === 'build') await beginBuild(database, this.#deps, row);
    else if (task === 'move') await beginMove(database, this.#deps, row);
    else await cancelMove(database, client, row);
    // If a former member is gone, the others must stop answering before they receive its documents.
    for (const begun of await readIndexes(database)) if (isSettling(begun)) await renameIndexes(this.#deps, begun);
  }

  async #sendChanges(rows: readonly IndexRow[]): Promise<boolean> {
    const { database } = this.#deps;
    const read = await readOutbox(database, sizes.changes);
    if (read.changes.length === 0) return false;
    for (const row of rows) {
      const changes = read.changes.filter((change) => change.resource === row.resource);
      const targets = targetsOf(this.#deps.client, row);
      if (changes.length === 0 || targets.length === 0) continue;
      const refused = await this.#send(row, changes, targets);
      await settleChanges(database, { ...read, changes }, refused);
    }
    return read.changes.length === sizes.changes;
  }

  async #send(row: IndexRow, changes: readonly Change[], targets: readonly Target[]): Promise<RefusedRecord> {
    const { database, lease } = this.#deps;
    const senders = targets.map(
      (target) => new SpreadSender({ ...sendingOf(this.#deps, row.resource, target.uid), ...target }),
    );
    const gone: string[] = [];
    for (let at = 0; at < changes.length; at += sizes.read) {
      const rowIds = changes.slice(at, at + sizes.read).map(({ rowId }) => rowId);
      const documents = await readDocuments(database, row.resource, rowIds);
      const present = new Set(documents.map(({ id }) => id));
      gone.push(...rowIds.filter((rowId) => !present.has(Number(rowId))));
      lease.assertHeld();
      for (const sender of senders) await sender.add(documents);
    }
    const refused = new Map<number, string>();
    for (const sender of senders) for (const [id, error] of await sender.finish()) refused.set(id, error);
    for (const target of targets) await this.#remove(target, gone);
    if (isSettling(row)) await removeFromFormer(this.#deps, row, gone.map(Number));
    return refused;
  }

  async #remove({ uid, members, receivers }: Target, gone: readonly string[]): Promise<void> {
    if (gone.length === 0) return;
    const { signal } = this.#deps;
    await withEach(groupByOwner(members, gone, Number), async ([member, rowIds]) => {
      if (receivers.includes(member)) await removeDocuments({ writer: member.writer, uid, signal }, rowIds);
    });
  }
}

/** An index that receives changes: the members that share it, and those among them that changes are sent to. */
type Target = Readonly<{
  uid: string;
  members: readonly MeilisearchMember[];
  receivers: readonly MeilisearchMember[];
}>;

function targetsOf(client: MeilisearchClient, row: IndexRow): Target[] {
  const { uid, settings, nextUid, isMove } = row;
  const members = settings === null ? null : findMembers(client, row.members);
  const current = uid === null || members === null ? [] : [{ uid, members, receivers: members }];
  if (nextUid === null) return current;
  // While documents are being copied, the former members still have the index under its old name.
  const receivers = isMove && settings !== null ? newcomersOf(client, row) : client.members;
  return [...current, { uid: nextUid, members: client.members, receivers }];
}
