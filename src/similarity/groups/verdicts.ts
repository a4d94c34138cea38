import { plain } from '../compare/compare.ts';
import type { Match } from '../compare/compare.ts';
import { tierHolds } from '../compare/tiers.ts';
import type { DuplicateOperator, DuplicateTier } from '../compare/tiers.ts';

/** A person's verdict on two pictures; it overrides any measurement. */
export const verdicts = ['same', 'variant', 'different'] as const;
export type Verdict = (typeof verdicts)[number];

/** The tier of a match, or of a pair that did not match, given a verdict; null for no match. */
export const tierAfter: Readonly<Record<Verdict, (tier: DuplicateTier | null) => DuplicateTier | null>> = {
  same: () => 'near',
  /** They belong together, but both are kept: only the widest tier shows them. */
  variant: () => 'edited',
  different: () => null,
};

export type JudgedMatch = Match & Readonly<{ verdict: Verdict | null }>;

/** The matches of a record, given its verdicts. A record that was called the same matches without any measurement. */
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

/** The matches of an operator: verdicts are applied, and only those that still belong to its tier are left. */
export function judgeFor(
  operator: DuplicateOperator,
  matches: ReadonlyMap<number, Match>,
  said: ReadonlyMap<number, Verdict>,
): Map<number, JudgedMatch> {
  return new Map([...judge(matches, said)].filter(([, { tier }]) => tierHolds(operator, tier)));
}

const unmeasured: Match = { ...plain, tier: 'edited', by: 'verdict', distance: 256 };
