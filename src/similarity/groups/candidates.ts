import type { Thresholds } from '../compare/tiers.ts';

/**
 * The records to search for duplicates, oldest first; a record is identified by its place. Plain arrays, which can be
 * passed to a thread without copying.
 */
export type DuplicateCandidates = Readonly<{
  count: number;
  /** 32 bytes per record. */
  hashes: Uint8Array;
  /** PDQ quality of a record; `noHashes` if it has no hash. */
  quality: Uint8Array;
  /** Records with the same file share a number; -1 if no other record has this file. */
  files: Int32Array;
  /** Pairs of places, one after the other: those that people called the same, and those called different. */
  joined: Uint32Array;
  apart: Uint32Array;
  /** Pairs found by close comparison; null if only hashes and files are compared. */
  edited: EditedPairs | null;
  /** Features that tell forms of one design apart; null if the records contain none. */
  formTemplates: FormTemplates | null;
}>;

/** Features of records that are mostly plain background, by slot. */
export type FormTemplates = Readonly<{
  /** The slot of each place; -1 where hashes alone decide. */
  slots: Int32Array;
  /** 160 bytes per slot. */
  regions: Uint8Array;
  /** Brightness in 48 × 48 cells per slot. */
  lumas: Uint8Array;
  thresholds: Thresholds;
}>;

/** Pairs of places, one after the other, and in how many bits their hashes differ in the best rotation. */
export type EditedPairs = Readonly<{ pairs: Uint32Array; bits: Uint16Array }>;

export type GroupOptions = Readonly<{
  /** Largest PDQ distance at which two records count as the same picture by hash. */
  distance: number;
  /** Pictures with a lower quality are grouped by file and by verdict only. */
  minQuality: number;
  /** Pairs that differ in more bits than this may be two forms of one design; if absent, none are. */
  doubtBeyond?: number;
  /** Called after each step with the number of steps done, out of `steps`. */
  onStep?: (done: number) => void;
}>;

/** Number of steps: one for each band of hashes, plus the final one. */
export const steps = 17;
