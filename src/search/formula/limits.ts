/**
 * What one formula may ask; beyond it is `too_complex` or `too_deep`. A formula at every limit is read, printed and
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
  /** Tests of records, those of a saved formula counted wherever it is named. */
  tests: 4000,
  /** Different saved formulas that a formula leads to. */
  savedFormulas: 100,
} as const;

/** A longer text has more code points than a formula may, however they are written: two UTF-16 units are one at most. */
export const maxUnits = 2 * formulaLimits.codePoints;
