import { graphql, isAbort } from '../api/graphql.ts';
import { JudgePair, OneGroup as OneGroupDocument, WithdrawVerdict } from '../api/documents.ts';
import type { Verdict } from '../api/documents.ts';
import { t } from '../i18n/index.svelte.ts';
import { go, route } from '../state/route.svelte.ts';
import { membersOf, verdictOn } from './comparison.ts';
import type { Member, OneGroup } from './comparison.ts';

/** Maximum number of pictures that are shown of a group. */
const most = 50;

/** The open group, with the chosen picture and the one that it is compared with. */
export class OpenGroup {
  /** Undefined until it is read; null if there is none. */
  group = $state.raw<OneGroup | null | undefined>(undefined);
  fault = $state.raw<unknown>(null);
  isBusy = $state.raw(false);
  readonly #id: string;
  readonly #end = new AbortController();
  readonly members: readonly Member[] = $derived(this.group ? membersOf(this.group) : []);
  readonly reference = $derived(this.#named(route().reference) ?? this.members[0]);
  readonly chosen = $derived(
    this.#named(route().picture) ?? this.members.find((member) => member !== this.reference) ?? this.reference,
  );

  constructor(id: string) {
    this.#id = id;
    void this.read();
  }

  stop(): void {
    this.#end.abort();
  }

  async read(): Promise<void> {
    try {
      const { duplicates } = await graphql(OneGroupDocument, { imageId: this.#id, members: most }, this.#end.signal);
      this.group = duplicates.results[0] ?? null;
      this.fault = null;
    } catch (error) {
      if (!isAbort(error)) this.fault = error;
    }
  }

  /** The verdict on a picture and the reference; null if there is none. */
  verdictOf({ imageId }: Member): Verdict | null {
    const { group, reference } = this;
    return group && reference ? verdictOn(group, imageId, reference.imageId) : null;
  }

  tagOf(member: Member): string {
    if (member === this.reference) return t().duplicates.reference;
    const verdict = this.verdictOf(member);
    return verdict === null ? '' : t().duplicates.verdicts[verdict];
  }

  choose(id: string): void {
    go({ picture: id }, { replace: true });
  }

  chooseBeside(by: 1 | -1): void {
    const at = this.members.findIndex((member) => member === this.chosen);
    const next = this.members[at + by];
    if (next !== undefined) this.choose(next.imageId);
  }

  /**
   * Gives the verdict on the chosen picture and the reference, or withdraws it if it was already given, and moves on
   * to a picture without a verdict.
   *
   * @returns whether all verdicts of the group have been given.
   */
  async judge(verdict: Verdict): Promise<boolean> {
    const { chosen, reference } = this;
    if (this.isBusy || chosen === undefined || reference === undefined || chosen === reference) return false;
    const pair = { first: reference.imageId, second: chosen.imageId };
    const isTakenBack = this.verdictOf(chosen) === verdict;
    this.isBusy = true;
    try {
      await (isTakenBack ? graphql(WithdrawVerdict, pair) : graphql(JudgePair, { ...pair, verdict }));
      await this.read();
    } catch (error) {
      this.fault = error;
      return false;
    } finally {
      this.isBusy = false;
    }
    const next = this.members.find((member) => member !== this.reference && this.verdictOf(member) === null);
    if (next !== undefined && !isTakenBack) this.choose(next.imageId);
    return !isTakenBack && this.group?.isDecided === true;
  }

  #named(id: string | null): Member | undefined {
    return this.members.find(({ imageId }) => imageId === id);
  }
}
