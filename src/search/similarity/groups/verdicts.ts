import type { Match } from '../compare/compare.ts';
import { tierHolds } from '../compare/tiers.ts';
import type { DuplicateOperator, DuplicateTier } from '../compare/tiers.ts';

/** What a person said of two pictures; it counts more than any measure. */
export const verdicts = ['same', 'variant', 'different'] as const;
export type Verdict = (typeof verdicts)[number];

/** What the verdict leaves of a match, or makes without one; null: no match. */
export const tierAfter: Readonly<Record<Verdict, (tier: DuplicateTier | null) => DuplicateTier | null>> = {
  same: () => 'near',
  /** Belongs together, and both are wanted: only the widest tier shows it. */
  variant: () => 'edited',
  different: () => null,
};

export type JudgedMatch = Match & Readonly<{ verdict: Verdict | null }>;

/** Matches of a record after what people said of it; a record said to be the same matches unmeasured. */
export function judge(
  matches: ReadonlyMap<number, Match>,
  said: ReadonlyMap<number, Verdict>,
): Map<number, JudgedMatch> {
  const judged = new Map<number, JudgedMatch>();
  for (const id of new Set([...matches.keys(), ...said.keys()])) {
    const match = matches.get(id) ?? unmeasured;
    const verdict = said.get(id) ?? null;
    const tier = verdict === null ? match.tier : tierAfter[verdict](match.tier);
    if (tier !== null) judged.set(id, { ...match, tier, verdict });
  }
  return judged;
}

/** Matches as an operator is to have them: judged, and only those that it still holds then. */
export function judgeFor(
  operator: DuplicateOperator,
  matches: ReadonlyMap<number, Match>,
  said: ReadonlyMap<number, Verdict>,
): Map<number, JudgedMatch> {
  return new Map([...judge(matches, said)].filter(([, { tier }]) => tierHolds(operator, tier)));
}

const unmeasured: Match = {
  tier: 'edited',
  by: 'verdict',
  distance: 256,
  rotation: 'identity',
  degrees: 0,
  isCrop: false,
  overlap: null,
  isVerified: false,
};
