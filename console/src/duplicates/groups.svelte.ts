import { graphql, isAbort } from '../api/graphql.ts';
import { DuplicateGroups as GroupsDocument, UndecidedGroups } from '../api/documents.ts';
import type { DuplicateGroupsQuery } from '../api/documents.ts';
import type { Route } from '../state/route.svelte.ts';

type Page = DuplicateGroupsQuery['duplicates'];
export type GroupRow = Page['results'][number];

/** Groups per page. */
const step = 20;

/** The image that identifies a group in the address: its first. */
export function idOf({ members }: GroupRow): string {
  return members[0]?.imageId ?? '';
}

/**
 * A page of the groups of the last search. Groups that are decided in the meantime stay on it until it is read again.
 */
export class DuplicateGroups {
  /** Undefined until it is read; null if there is none. */
  search = $state.raw<Page['search'] | undefined>(undefined);
  rows = $state.raw<readonly GroupRow[]>([]);
  /** Number of groups in the list, on all of its pages. */
  count = $state.raw(0);
  left = $state.raw(0);
  fault = $state.raw<unknown>(null);
  #end = new AbortController();

  get pages(): number {
    return Math.max(1, Math.ceil(this.count / step));
  }

  /** Number of groups that are decided or no longer exist: their pictures were merged or deleted. */
  get done(): number {
    return Math.max(0, (this.search?.numGroups ?? 0) - this.left);
  }

  async read({ groups, part }: Pick<Route, 'groups' | 'part'>): Promise<void> {
    this.stop();
    this.#end = new AbortController();
    const { signal } = this.#end;
    try {
      const variables = { decided: groups === 'all' ? null : false, page: Number(part), limit: step };
      const { duplicates, left } = await graphql(GroupsDocument, variables, signal);
      this.search = duplicates.search;
      this.rows = duplicates.results;
      this.count = duplicates.count;
      this.left = left.count;
      this.fault = null;
    } catch (error) {
      if (!isAbort(error)) this.fault = error;
    }
  }

  stop(): void {
    this.#end.abort();
  }

  /** Notes what has become of a group, and counts the groups that are left. */
  async note(number: number, isDecided: boolean): Promise<void> {
    this.rows = this.rows.map((row) => (row.number === number ? { ...row, isDecided } : row));
    try {
      this.left = (await graphql(UndecidedGroups, {})).duplicates.count;
    } catch {
      // The verdict has been stored; the number is read again with the next one.
    }
  }

  /** The group before or after another one in the list, identified by its first image. */
  beside(number: number, by: 1 | -1): string | null {
    const at = this.rows.findIndex((row) => row.number === number);
    const row = at < 0 ? undefined : this.rows[at + by];
    return row === undefined ? null : idOf(row);
  }
}
