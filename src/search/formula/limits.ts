/** What one formula may ask; beyond it is `too_complex` or `too_deep`. */
export const formulaLimits = {
  codePoints: 4096,
  depth: 20,
  terms: 200,
  valuesPerSet: 100,
  references: 5,
  verifications: 1,
  /** Tests that saved formulas may bring in, counted each time they are looked up. */
  savedTests: 4000,
} as const;
