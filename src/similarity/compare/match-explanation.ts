import type { Region, Rotation } from '../../analysis/index.ts';
import type { Match } from './compare.ts';
import type { AlikeOperator, AlikeTier, DuplicateOperator, DuplicateTier } from './tiers.ts';
import { duplicateTiers } from './tiers.ts';

/** Why a record matches a similarity term. */
export type MatchExplanation = Readonly<{
  /** How certain the match is, and the narrowest operator that finds it. */
  tier: DuplicateTier | AlikeTier;
  operator: `i${AlikeOperator | DuplicateOperator}`;
  by: Match['by'] | 'embedding' | 'words';
  /** 0 to 1. */
  similarity: number;
  /** For the same picture, how many of 256 bits differ; for similar ones, 1 minus the cosine. */
  distance: number;
  /** The record shows the mirror image. */
  flip: boolean;
  /** How far the record's picture is rotated clockwise, after the flip; degrees. */
  rotation: number;
  /** One of them shows only a part of the other. */
  crop: boolean;
  /** What both show, in fractions of each picture; null if that was not compared. */
  overlap: Readonly<{ reference: Region; found: Region }> | null;
  /** Whether corners or pixels were compared and agree. */
  verified: boolean;
}>;

/** Each rotation as an optional flip, followed by a rotation in degrees clockwise. */
const rotationEffects: Readonly<Record<Rotation, Readonly<{ flip: boolean; degrees: number }>>> = {
  identity: { flip: false, degrees: 0 },
  rotate90: { flip: false, degrees: 90 },
  rotate180: { flip: false, degrees: 180 },
  rotate270: { flip: false, degrees: 270 },
  flipHorizontal: { flip: true, degrees: 0 },
  transverse: { flip: true, degrees: 90 },
  flipVertical: { flip: true, degrees: 180 },
  transpose: { flip: true, degrees: 270 },
};

/** A match of the same picture, as returned to callers. */
export function explainMatch(match: Match, similarity: number): MatchExplanation {
  const { tier, by, distance, rotation, degrees, isCrop, overlap, isVerified } = match;
  const row = duplicateTiers.find((each) => each.tier === tier) ?? duplicateTiers[2];
  return {
    tier,
    operator: `i${row.operator}`,
    by,
    similarity,
    distance,
    flip: rotationEffects[rotation].flip,
    rotation: rotationEffects[rotation].degrees + degrees,
    crop: isCrop,
    overlap: overlap && { reference: overlap[0], found: overlap[1] },
    verified: isVerified,
  };
}

/** A similarity as replies show it, rounded to the precision of the most exact measure. */
export function shownSimilarity(similarity: number): number {
  return Math.round(similarity * 10_000) / 10_000;
}

const asItIs = { flip: false, rotation: 0, crop: false, overlap: null, verified: false } as const;

/** The explanation of a similar record. */
export function explainSimilarity(
  row: Readonly<{ tier: AlikeTier; operator: AlikeOperator }>,
  by: 'embedding' | 'words',
  similarity: number,
): MatchExplanation {
  const distance = shownSimilarity(1 - similarity);
  return { tier: row.tier, operator: `i${row.operator}`, by, similarity, distance, ...asItIs };
}
