/** Limits per tenant for formulas that watch. */
export const standingLimits = {
  formulas: 10_000,
  /** Formulas with similarity terms; each is evaluated separately. */
  similar: 100,
  /** Records that a formula may match when it starts to watch. */
  matches: 100_000,
  /** Changed records evaluated at a time, and the matches that they may have in total. */
  rows: 2_000,
  roundMatches: 500_000,
  /** How often relative dates are evaluated again. */
  clockMs: 60_000,
} as const;
