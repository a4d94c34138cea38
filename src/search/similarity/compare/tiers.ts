/** What the two families of operators mean: `i=`… the same picture, `i~`… alike. */

/** How sure it is that two files show the same picture, the surest first. Each holds all before it. */
export const duplicateTiers = [
  { tier: 'near', operator: '===', meaning: 'the same pixels but for coding' },
  { tier: 'same', operator: '==', meaning: 'the same picture, re-encoded, resized or toned' },
  { tier: 'edited', operator: '=', meaning: 'an edit: overlay, crop, border, flip, turn' },
] as const;
export type DuplicateTier = (typeof duplicateTiers)[number]['tier'];
export type DuplicateOperator = (typeof duplicateTiers)[number]['operator'];

/** How alike two pictures are, the most alike first. Each holds all before it, because thresholds fall. */
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
  /** Below this PDQ quality a hash alone says nothing. Published for PDQ: 50. */
  minQuality: number;
  /**
   * Largest distance of the 64-bit hashes of parts that makes a picture worth a closer look. Most
   * unrelated pictures are beyond it; of a large catalog's others only the nearest are looked at.
   */
  shortlist: number;
  /** So many of them at most are looked at, the nearest first. */
  candidates: number;
  /** Corners that agree, and the share of blocks of pixels that do, where many corners agree, and where few. */
  manyCorners: Readonly<{ corners: number; agreement: number }>;
  fewCorners: Readonly<{ corners: number; agreement: number }>;
  /** Where at least such a share of both is plain ground, so many corners or such a correlation of all pixels is asked for. */
  onGround: Readonly<{ share: number; corners: number; correlation: number }>;
  /**
   * Two forms of one print: near by hash, but a part differs in more bits than any does after coding or toning,
   * both are plain ground, and their pixels correlate less than those of one picture do.
   */
  print: Readonly<{ part: number; correlation: number }>;
  /** Pixels of pictures without detail: mean and largest difference of 255. */
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
  print: { part: 14, correlation: 0.97 },
  pixels: { mean: 1.5, largest: 10 },
};

/** Whether a match of one tier belongs to what an operator asks for. */
export function tierHolds(operator: DuplicateOperator, tier: DuplicateTier): boolean {
  const asked = duplicateTiers.find((row) => row.operator === operator);
  return asked !== undefined && isWithin(tier, asked.tier);
}

/** Whether what has one tier, if any, belongs to another. */
export function isWithin(tier: DuplicateTier | null, other: DuplicateTier): boolean {
  const rank = (wanted: DuplicateTier) => duplicateTiers.findIndex((row) => row.tier === wanted);
  return tier !== null && rank(tier) <= rank(other);
}
