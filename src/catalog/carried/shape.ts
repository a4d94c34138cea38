import type { StoredOutcome } from '../analysis.ts';

/** The version of the shape, which goes up whenever its meaning changes. */
export const carriedVersion = 1;

/**
 * An analysis that a record brings along from one catalog to another: the property `analysis` in a line of an export.
 * Checksums are hexadecimal, other bytes base64. Documented in docs/exports.md.
 */
export type CarriedAnalysis = Readonly<{
  version: typeof carriedVersion;
  /** Columns of the record by property: facts about the file, columns that searches use, times. */
  columns: Readonly<Record<string, unknown>>;
  /** Identifies the set of analyzers; null for a record that was never analyzed. */
  signature: string | null;
  analyzedAt: string | null;
  /** The outcome of each analyzer. */
  facts: Readonly<Record<string, StoredOutcome>>;
  /** For images only. */
  fingerprint: CarriedFingerprint | null;
  /** For videos only, in order. */
  frames: readonly CarriedFrame[];
}>;

/** The data that a picture is compared by. */
export type CarriedFingerprint = Readonly<{
  pdq: string | null;
  quality: number | null;
  regions: string | null;
  details: string | null;
  embedding: string | null;
  /** The model of the embedding. */
  model: string | null;
}>;

/** The analysis of one frame of a video. */
export type CarriedFrame = Readonly<{
  timeSecs: number;
  facts: CarriedAnalysis['facts'];
  fingerprint: CarriedFingerprint | null;
}>;
