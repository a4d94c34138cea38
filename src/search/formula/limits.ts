/**
 * Limits of one formula; beyond them it is `too_complex` or `too_deep`. A formula at every limit is read, printed and
 * turned into SQL in a few milliseconds (`test/search/formula/budget.test.ts`).
 */
export const formulaLimits = {
  /** Of one text, and so of each saved formula. */
  codePoints: 4096,
  /** Groups inside each other; saved formulas that name others are counted apart. */
  depth: 20,
  terms: 200,
  valuesPerSet: 100,
  references: 5,
  verifications: 1,
  /** Tests of a record; those of a saved formula count at each reference to it. */
  tests: 4000,
  /** Different saved formulas referenced directly or indirectly. */
  savedFormulas: 100,
} as const;

/** A text of more UTF-16 units certainly has too many code points: a code point has two units at most. */
export const maxUnits = 2 * formulaLimits.codePoints;
