import { formatPlainValue } from '../../../src/search/formula/format.ts';
import { FlaggedImages, FlaggedPair, JudgePair } from '../api/documents.ts';
import type { FlaggedPairQuery } from '../api/documents.ts';
import { ApiError, graphql, isAbort } from '../api/graphql.ts';
import { patiently } from '../api/patiently.ts';
import type { Waiter } from '../api/patiently.ts';
import { Waiting } from '../api/waiting.svelte.ts';
import type { Compared, Member } from '../duplicates/comparison.ts';
import { merge } from '../duplicates/merge.ts';
import { formulaOfIds } from '../edit/formula-of-ids.ts';
import { lastWrite } from '../edit/last-write.svelte.ts';
import { write } from '../edit/write.ts';
import type { WriteResult } from '../edit/write.ts';
import { t } from '../i18n/index.svelte.ts';
import { elementProblem } from '../i18n/problem-of.ts';

type Match = NonNullable<FlaggedPairQuery['images']['results'][number]['match']>;

/** A new picture, and the one that it was flagged as a copy of when it was stored. */
export type CopyPair = Compared &
  Readonly<{ fresh: string; known: string; chosen: Member; reference: Member; match: Match | null }>;

/** What can be done with a new picture. */
export const copyActions = ['keep', 'leaveOut', 'replace'] as const;
export type CopyAction = (typeof copyActions)[number];

/** Maximum number of flagged pictures that are reviewed, one after the other. */
const most = 100;

/** Pictures that were flagged as copies and await a decision. The catalog stores the flags. */
export class Copies {
  count = $state.raw(0);
  /** The pair to decide. */
  pair = $state.raw<CopyPair | null>(null);
  isBusy = $state.raw(false);
  fault = $state.raw<unknown>(null);
  readonly waiting = new Waiting();
  /** New pictures that were postponed. */
  readonly #later = new Set<string>();
  /** The number of the last reading: the pair of an earlier one may be decided by now. */
  #turn = 0;

  /** Reads what is left, and shows the first pair. */
  async read(): Promise<void> {
    const turn = (this.#turn += 1);
    try {
      const { images } = await graphql(FlaggedImages, { limit: most });
      const flagged = images.results.filter(({ id }) => !this.#later.has(id));
      const [first] = flagged.length > 0 ? flagged : images.results;
      if (flagged.length === 0) this.#later.clear();
      const known = first?.duplicateOf;
      const pair = first === undefined || known == null ? null : await readPair(first.id, known);
      if (turn !== this.#turn) return;
      [this.pair, this.count, this.fault] = [pair, images.count ?? images.results.length, null];
    } catch (error) {
      if (turn === this.#turn) this.fault = error;
    }
  }

  /** Postpones the pair and shows the next one. */
  async skip(): Promise<void> {
    if (this.pair !== null) this.#later.add(this.pair.fresh);
    await this.read();
  }

  /** Decides the pair. Everything but keeping both can be undone. */
  async decide(action: CopyAction): Promise<void> {
    if (this.pair === null || this.isBusy) return;
    const { pair } = this;
    this.isBusy = true;
    try {
      const written = await decisions[action](pair, this.waiting);
      if (written !== null && 'id' in written && written.numGood === 0) {
        const [error] = written.errors;
        throw new Error(elementProblem(error?.code) ?? error?.msg ?? t().failedTitle);
      }
      if (written !== null && 'id' in written) {
        lastWrite.keep({ operation: written.id, text: t().copies.done[action], reload: () => void this.read() });
      }
      await this.read();
    } catch (error) {
      const isOvertaken = error instanceof ApiError && error.code === 'precondition_failed';
      if (!isAbort(error)) this.fault = isOvertaken ? new Error(t().duplicates.overtaken) : error;
    } finally {
      this.isBusy = false;
    }
  }
}

type Decision = (pair: CopyPair, waiter: Waiter) => Promise<WriteResult | null>;

const decisions: Readonly<Record<CopyAction, Decision>> = {
  async keep({ fresh, known }, waiter) {
    await patiently(() => graphql(JudgePair, { first: known, second: fresh, verdict: 'variant' }), waiter);
    return null;
  },
  leaveOut: ({ fresh }, { onWait, signal }) =>
    write({ kind: 'image', which: { ids: [fresh] } }, { dryRun: false, onWait, signal }),
  replace: ({ chosen, reference }, { onWait, signal }) => merge(chosen, [reference], { dryRun: false, onWait, signal }),
};

/** A pair in the form in which it is compared; null if one of them no longer exists. */
async function readPair(fresh: string, known: string): Promise<CopyPair | null> {
  const ask = (q: string) => graphql(FlaggedPair, { one: fresh, other: known, q });
  const alone = formulaOfIds([fresh]);
  const { one, other, images } = await ask(`i=id:${formatPlainValue(known)} ${alone}`).catch((error: unknown) => {
    // Pictures that have not been analyzed cannot be compared, but the pair can still be decided.
    if (error instanceof ApiError && error.code === 'invalid_formula') return ask(alone);
    throw error;
  });
  if (one === null || other === null) return null;
  const match = images.results[0]?.match ?? null;
  const member = (image: Member['image'], distance: number | null): Member => {
    return { imageId: image.id, isFirst: distance === null, distance, format: null, byteSize: null, image };
  };
  const reference = member(other, null);
  const chosen = member(one, match?.by === 'hash' ? match.distance : null);
  const tagOf = (of: Member) => (of === reference ? t().copies.known : t().copies.fresh);
  return { fresh, known, match, members: [reference, chosen], reference, chosen, tagOf };
}
