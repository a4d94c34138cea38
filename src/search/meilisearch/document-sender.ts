import type { Meilisearch } from 'meilisearch';
import { setTimeout as sleep } from 'node:timers/promises';
import { refusalIn } from '../../backing/index.ts';
import type { DocumentRow } from './documents.ts';

/** Size of one message, in characters of JSON; only one is held in memory at a time. */
const payloadSize = 6 * 1024 * 1024;
/**
 * Maximum messages in flight. Meilisearch indexes waiting messages together, the more the faster: for a million
 * records, 1,650 records a second with 12 messages, 2,330 with 28, 2,710 with all of them. Filling an index may take
 * up to a gigabyte of its disk for this. In an index that is being queried, changes must not wait behind so much.
 */
export const windows = { filling: 160, changing: 6 } as const;
/** Intervals between polls of a task: the first poll comes soon, later ones less and less often. */
const polls = { firstMs: 5, mostMs: 250 } as const;

/**
 * A message in flight. Only the ids of its documents are kept here; Meilisearch keeps their contents until they are
 * indexed.
 */
type Sent = Readonly<{ task: number; ids: readonly number[] }>;

/** Documents that Meilisearch refused individually, with the reasons. */
export type RefusedRecord = ReadonlyMap<number, string>;

/** The index no longer exists: everything has to be sent again. */
export class IndexLostError extends Error {}

/** A fault of these documents, not of the state of Meilisearch. */
class TaskRefused extends Error {}

/** An index, and a client that may write to it. */
type IndexWriter = Readonly<{
  writer: Meilisearch;
  uid: string;
  /** Aborts all waits. */
  signal: AbortSignal;
}>;

export type DocumentSenderOptions = IndexWriter &
  Readonly<{
    /** Maximum messages in flight. */
    window: number;
    /** Reads the current version of documents again after their message failed. */
    readAgain: (ids: readonly number[]) => Promise<readonly DocumentRow[]>;
    /**
     * Called for each message, in order, once Meilisearch has it, with the id of the last document and the number of
     * documents.
     */
    onDelivered?: (lastId: number, count: number) => Promise<void>;
  }>;

/**
 * Sends documents to one index, in order. The number of messages in flight is limited, so it waits when Meilisearch
 * falls behind. A message that fails is halved until the documents at fault are found.
 */
export class DocumentSender {
  readonly #options: DocumentSenderOptions;
  readonly #underWay: Sent[] = [];
  readonly #refused = new Map<number, string>();
  #lines: DocumentRow[] = [];
  #size = 0;

  constructor(options: DocumentSenderOptions) {
    this.#options = options;
  }

  async add(lines: readonly DocumentRow[]): Promise<void> {
    for (const line of lines) {
      this.#lines.push(line);
      this.#size += line.json.length;
      if (this.#size >= payloadSize) await this.#send();
    }
  }

  /** Sends what was added, so that anything sent later, by anyone, is indexed after it. */
  async flush(): Promise<void> {
    if (this.#lines.length > 0) await this.#send();
  }

  /** Waits until Meilisearch has everything. @returns what it refused since the last call. */
  async finish(): Promise<RefusedRecord> {
    await this.flush();
    while (this.#underWay.length > 0) await this.#awaitOldest();
    const refused = new Map(this.#refused);
    this.#refused.clear();
    return refused;
  }

  async #send(): Promise<void> {
    const lines = this.#lines;
    this.#lines = [];
    this.#size = 0;
    const task = await sendLines(this.#options, lines).catch((error: unknown) => {
      if (!(error instanceof TaskRefused)) throw error;
      return null;
    });
    if (task !== null) this.#underWay.push({ task, ids: lines.map(({ id }) => id) });
    else await this.#halve(lines);
    while (this.#underWay.length >= this.#options.window) await this.#awaitOldest();
  }

  async #awaitOldest(): Promise<void> {
    const [oldest] = this.#underWay;
    if (oldest === undefined) return;
    try {
      await awaitTask(this.#options, oldest.task);
    } catch (error) {
      if (!(error instanceof TaskRefused)) throw error;
      await this.#halve(await this.#options.readAgain(oldest.ids));
    }
    this.#underWay.shift();
    await this.#options.onDelivered?.(oldest.ids.at(-1) ?? 0, oldest.ids.length);
  }

  /** Sends the halves of a failed message, one after the other, down to single documents. */
  async #halve(lines: readonly DocumentRow[]): Promise<void> {
    if (lines.length === 0) return;
    const half = Math.ceil(lines.length / 2);
    const parts = lines.length === 1 ? [lines] : [lines.slice(0, half), lines.slice(half)];
    for (const part of parts) {
      try {
        await awaitTask(this.#options, await sendLines(this.#options, part));
      } catch (error) {
        if (!(error instanceof TaskRefused)) throw error;
        if (part.length > 1) await this.#halve(part);
        else this.#refused.set(part[0]?.id ?? 0, error.message);
      }
    }
  }
}

async function sendLines({ writer, uid }: IndexWriter, lines: readonly DocumentRow[]): Promise<number> {
  const body = lines.map(({ json }) => json).join('\n');
  try {
    return (await writer.index(uid).addDocumentsFromString(body, 'application/x-ndjson')).taskUid;
  } catch (error) {
    const refusal = refusalIn(error);
    // The documents are too large or invalid: another key or address would not help.
    if (refusal !== null && [400, 413, 415].includes(refusal.status)) throw new TaskRefused(refusal.message);
    throw error;
  }
}

/** Removes documents by id, and waits until that is done. */
export async function removeDocuments(index: IndexWriter, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const { writer, uid } = index;
  await awaitTask(index, (await writer.index(uid).deleteDocuments([...ids])).taskUid);
}

/**
 * Waits until a task of Meilisearch has succeeded.
 *
 * @throws IndexLostError if its index is gone; TaskRefused if it failed because of its documents; Error for other failures.
 */
export async function awaitTask(
  { writer, signal }: Pick<IndexWriter, 'writer' | 'signal'>,
  uid: number,
): Promise<void> {
  for (let pause: number = polls.firstMs; ; pause = Math.min(pause * 1.5, polls.mostMs)) {
    const { status, error } = await writer.tasks.getTask(uid);
    if (status === 'succeeded') return;
    if (status === 'failed' || status === 'canceled') {
      const { code = status, type, message = '' } = error ?? {};
      if (code === 'index_not_found') throw new IndexLostError(message);
      const text = `${code}: ${message}`.slice(0, 1000);
      throw type === 'invalid_request' ? new TaskRefused(text) : new Error(text);
    }
    await sleep(pause, undefined, { signal });
  }
}
