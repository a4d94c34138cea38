import type { MeilisearchMember } from '../../backing/index.ts';
import { DocumentSender } from './document-sender.ts';
import type { DocumentSenderOptions, RefusedRecord } from './document-sender.ts';
import type { DocumentRow } from './documents.ts';
import { groupByOwner, withEach } from './members.ts';

type SpreadSenderOptions = Omit<DocumentSenderOptions, 'writer'> &
  Readonly<{
    /** The members among which the documents are distributed. */
    members: readonly MeilisearchMember[];
    /** The members that documents are actually sent to; all of them if absent. */
    receivers?: readonly MeilisearchMember[];
  }>;

/** The last document ids given to a member and delivered to it; ids ascend while an index is filled. */
type Part = { readonly documentSender: DocumentSender; given: number; delivered: number };

/** Sends each document to the member that keeps it; all members are served at the same time. */
export class SpreadSender {
  readonly #members: readonly MeilisearchMember[];
  readonly #parts = new Map<MeilisearchMember, Part>();

  constructor({ members, receivers = members, onDelivered, ...options }: SpreadSenderOptions) {
    this.#members = members;
    for (const member of receivers) {
      const note = async (lastId: number, count: number) => {
        part.delivered = lastId;
        await onDelivered?.(this.#deliveredTo(), count);
      };
      const { writer } = member;
      const documentSender = new DocumentSender({ ...options, writer, ...(onDelivered && { onDelivered: note }) });
      const part: Part = { documentSender, given: 0, delivered: 0 };
      this.#parts.set(member, part);
    }
  }

  async add(documents: readonly DocumentRow[]): Promise<void> {
    const shares = [...groupByOwner(this.#members, documents, ({ id }) => id)].flatMap(([member, share]) => {
      const part = this.#parts.get(member);
      return part === undefined ? [] : [{ part, share }];
    });
    for (const { part, share } of shares) part.given = share.at(-1)?.id ?? part.given;
    await withEach(shares, ({ part, share }) => part.documentSender.add(share));
  }

  /** Sends what was added, so that anything sent later, by anyone, is indexed after it. */
  async flush(): Promise<void> {
    await withEach(this.#parts.values(), ({ documentSender }) => documentSender.flush());
  }

  /** Waits until all members have everything. @returns what they have refused since the last call. */
  async finish(): Promise<RefusedRecord> {
    const refused = new Map<number, string>();
    await withEach(this.#parts.values(), async ({ documentSender }) => {
      for (const [id, error] of await documentSender.finish()) refused.set(id, error);
    });
    return refused;
  }

  /** Returns the id up to which all members have their documents. */
  #deliveredTo(): number {
    const parts = [...this.#parts.values()];
    const pending = parts.filter(({ given, delivered }) => delivered < given);
    return pending.length > 0
      ? Math.min(...pending.map(({ delivered }) => delivered))
      : Math.max(...parts.map(({ delivered }) => delivered));
  }
}
