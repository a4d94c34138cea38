/**
 * Limits of one formula; beyond them it is `too_complex` or `too_deep`. A formula that reaches every limit is still
 * parsed, formatted and turned into SQL in a few milliseconds (`test/search/formula/budget.test.ts`).
 */
export const formulaLimits = {
  /** Per text, so also per saved formula. */
  codePoints: 4096,
  /** Nesting of groups; saved formulas that refer to others are counted separately. */
  depth: 20,
  terms: 200,
  valuesPerSet: 100,
  references: 5,
  verifications: 1,
  /** Tests per record; those of a saved formula count once for each reference to it. */
  tests: 4000,
  /** Different saved formulas referenced directly or indirectly. */
  savedFormulas: 100,
} as const;

/** Texts with more UTF-16 units than this certainly have too many code points: a code point takes at most two units. */
export const maxUnits = 2 * formulaLimits.codePoints;
