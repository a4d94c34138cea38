import { plain } from '../compare/compare.ts';
import type { Match } from '../compare/compare.ts';
import { tierHolds } from '../compare/tiers.ts';
import type { DuplicateOperator, DuplicateTier } from '../compare/tiers.ts';

/** A person's verdict on two pictures; it overrides any measurement. */
export const verdicts = ['same', 'variant', 'different'] as const;
export type Verdict = (typeof verdicts)[number];

/** The tier of a match after the verdict, or of a pair without a match; null: no match. */
export const tierAfter: Readonly<Record<Verdict, (tier: DuplicateTier | null) => DuplicateTier | null>> = {
  same: () => 'near',
  /** They belong together, and both are kept: only the widest tier shows them. */
  variant: () => 'edited',
  different: () => null,
};

export type JudgedMatch = Match & Readonly<{ verdict: Verdict | null }>;

/** Matches of a record after its verdicts; a record called the same matches without a measurement. */
function judge(matches: ReadonlyMap<number, Match>, said: ReadonlyMap<number, Verdict>): Map<number, JudgedMatch> {
  const judged = new Map<number, JudgedMatch>();
  for (const id of new Set([...matches.keys(), ...said.keys()])) {
    const match = matches.get(id) ?? unmeasured;
    const verdict = said.get(id) ?? null;
    const tier = verdict === null ? match.tier : tierAfter[verdict](match.tier);
    if (tier !== null) judged.set(id, { ...match, tier, verdict });
  }
  return judged;
}

/** Matches for an operator: with verdicts applied, and only those that still belong to its tier. */
export function judgeFor(
  operator: DuplicateOperator,
  matches: ReadonlyMap<number, Match>,
  said: ReadonlyMap<number, Verdict>,
): Map<number, JudgedMatch> {
  return new Map([...judge(matches, said)].filter(([, { tier }]) => tierHolds(operator, tier)));
}

const unmeasured: Match = { ...plain, tier: 'edited', by: 'verdict', distance: 256 };
