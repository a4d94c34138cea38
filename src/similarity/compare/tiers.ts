/** The two families of operators: `i=`… finds the same picture, `i~`… similar ones. */

/** How certain it is that two files show the same picture, strictest tier first. Each tier includes all before it. */
export const duplicateTiers = [
  { tier: 'near', operator: '===', meaning: 'the same pixels, encoded differently' },
  { tier: 'same', operator: '==', meaning: 'the same picture, re-encoded, resized or toned' },
  { tier: 'edited', operator: '=', meaning: 'an edit: overlay, crop, border, flip, turn' },
] as const;
export type DuplicateTier = (typeof duplicateTiers)[number]['tier'];
export type DuplicateOperator = (typeof duplicateTiers)[number]['operator'];

/** How similar two pictures are, most similar first. Each tier includes all before it, because thresholds fall. */
export const alikeTiers = [
  { tier: 'scene', operator: '~~~', meaning: 'nearly the same scene' },
  { tier: 'subject', operator: '~~', meaning: 'same subject and composition' },
  { tier: 'theme', operator: '~', meaning: 'same theme' },
] as const;
export type AlikeTier = (typeof alikeTiers)[number]['tier'];
export type AlikeOperator = (typeof alikeTiers)[number]['operator'];

export type Thresholds = Readonly<{
  /** Largest PDQ distance, of 256 bits. Published for PDQ: ≤ 31 is a match. */
  near: number;
  same: number;
  /** Below this PDQ quality, a hash alone is not reliable. Published for PDQ: 50. */
  minQuality: number;
  /**
   * Largest distance of the 64-bit hashes of parts at which pictures are still compared closely. Most unrelated
   * pictures are farther apart; in a large catalog, only the nearest of the others are compared.
   */
  shortlist: number;
  /** How many of them are compared closely, nearest first. */
  candidates: number;
  /** How many corners must match, and which fraction of pixel blocks must agree: for many corners, and for few. */
  manyCorners: Readonly<{ corners: number; agreement: number }>;
  fewCorners: Readonly<{ corners: number; agreement: number }>;
  /**
   * If at least this fraction of both pictures is plain background, they need this many corners, or this correlation
   * of all pixels.
   */
  onGround: Readonly<{ share: number; corners: number; correlation: number }>;
  /**
   * When two pictures are different forms of one design although their hashes are near: a part differs in more bits
   * than re-encoding or toning can cause, both are plain background, and their pixels correlate less than those of
   * one picture.
   */
  otherForm: Readonly<{ part: number; correlation: number }>;
  /** For pictures without detail: how much pixels may differ, on average and at most, of 255. */
  pixels: Readonly<{ mean: number; largest: number }>;
}>;

/** Measured on photographs and their edits: docs/similarity.md. */
export const defaultThresholds: Thresholds = {
  near: 10,
  same: 31,
  minQuality: 50,
  shortlist: 18,
  candidates: 64,
  manyCorners: { corners: 12, agreement: 0.45 },
  fewCorners: { corners: 8, agreement: 0.9 },
  onGround: { share: 0.55, corners: 45, correlation: 0.985 },
  otherForm: { part: 14, correlation: 0.97 },
  pixels: { mean: 1.5, largest: 10 },
};

/** Whether an operator finds matches of a tier. */
export function tierHolds(operator: DuplicateOperator, tier: DuplicateTier): boolean {
  const asked = duplicateTiers.find((row) => row.operator === operator);
  return asked !== undefined && isWithin(tier, asked.tier);
}

/** Whether a match of one tier, if any, also counts for another. */
export function isWithin(tier: DuplicateTier | null, other: DuplicateTier): boolean {
  const rank = (wanted: DuplicateTier) => duplicateTiers.findIndex((row) => row.tier === wanted);
  return tier !== null && rank(tier) <= rank(other);
}
