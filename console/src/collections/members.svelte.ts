import { formatPlainValue } from '../../../src/search/formula/format.ts';
import { graphql } from '../api/graphql.ts';
import { ListMembers, ListVideoMembers, MoveInCollection, RemoveFromCollection } from '../api/documents.ts';
import type { ListMembersQuery } from '../api/documents.ts';
import { patiently } from '../api/patiently.ts';
import { Waiting } from '../api/waiting.svelte.ts';

export type Member = ListMembersQuery['found']['results'][number];
type Kind = 'image' | 'video';

/** The pictures or the videos of a collection in order, as far as they have been read. */
export class Members {
  list = $state.raw<readonly Member[] | null>(null);
  cursor = $state.raw<string | null>(null);
  fault = $state.raw<unknown>(null);
  /** The reason why writes wait. */
  readonly waiting = new Waiting();
  readonly #name: string;
  readonly #kind: Kind;
  /** Writes are sent one after the other. */
  #writing: Promise<void> = Promise.resolve();

  constructor(name: string, kind: Kind) {
    [this.#name, this.#kind] = [name, kind];
    void this.read();
  }

  async read(cursor: string | null = null): Promise<void> {
    try {
      const document = this.#kind === 'video' ? ListVideoMembers : ListMembers;
      const { found } = await graphql(document, { q: `collection:${formatPlainValue(this.#name)}`, cursor });
      // The button was pressed twice, so that the same page was read twice.
      if (cursor !== null && cursor !== this.cursor) return;
      this.list = [...(cursor === null ? [] : (this.list ?? [])), ...found.results];
      this.cursor = found.cursor ?? null;
      this.fault = null;
    } catch (error) {
      this.fault = error;
    }
  }

  /** Moves a record to another position; the move is shown immediately. */
  move(id: string, at: number): void {
    const list = this.list ?? [];
    const moved = list.find((each) => each.id === id);
    if (moved === undefined || at < 0 || at >= list.length || list[at] === moved) return;
    this.list = list.filter((each) => each !== moved).toSpliced(at, 0, moved);
    this.#write(() => graphql(MoveInCollection, { name: this.#name, resource: this.#kind, ids: [id], at }));
  }

  remove(id: string): void {
    this.list = this.list?.filter((each) => each.id !== id) ?? null;
    this.#write(() => graphql(RemoveFromCollection, { name: this.#name, resource: this.#kind, ids: [id] }));
  }

  /**
   * Writes are idempotent, so they are repeated while the service is away. If one fails, the state of the service is
   * shown.
   */
  #write(act: () => Promise<unknown>): void {
    this.#writing = this.#writing.then(async () => {
      try {
        await patiently(act, { onWait: this.waiting.onWait });
      } catch (error) {
        await this.read();
        this.fault = error;
      }
    });
  }
}
