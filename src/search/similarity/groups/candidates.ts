import type { Thresholds } from '../compare/tiers.ts';

/**
 * The records among which duplicates are looked for, the oldest first; a record is named by its
 * place. Plain arrays, which a thread is given without a copy.
 */
export type DuplicateCandidates = Readonly<{
  count: number;
  /** 32 bytes a record. */
  hashes: Uint8Array;
  /** PDQ quality of a record; `noHashes` where it has no hash. */
  quality: Uint8Array;
  /** Records of the same file have the same number; -1: no other has this file. */
  files: Int32Array;
  /** Pairs of places, one after the other: said to be the same, and said not to be. */
  joined: Uint32Array;
  apart: Uint32Array;
  /** Pairs that closer looks found; null where hashes and files alone are asked. */
  edited: EditedPairs | null;
  /** What tells forms of one print apart; null where none is among the records. */
  formTemplates: FormTemplates | null;
}>;

/** What is known of records that are mostly plain ground, slot by slot. */
export type FormTemplates = Readonly<{
  /** The slot of each place; -1 where hashes alone decide. */
  slots: Int32Array;
  /** 160 bytes a slot. */
  regions: Uint8Array;
  /** Brightness in 48 × 48 cells a slot. */
  lumas: Uint8Array;
  thresholds: Thresholds;
}>;

/** Pairs of places, one after the other, and in how many bits their hashes differ in the turn that fits best. */
export type EditedPairs = Readonly<{ pairs: Uint32Array; bits: Uint16Array }>;

export type GroupOptions = Readonly<{
  /** Largest PDQ distance of two records of which a hash says that they are the same picture. */
  distance: number;
  /** Pictures with less to see take part by file and by verdict only. */
  minQuality: number;
  /** Pairs that differ in more bits may be two of one print; without it none are. */
  doubtBeyond?: number;
  /** Told of each step that is done, of `steps`. */
  onStep?: (done: number) => void;
}>;

/** Bands of hashes that are looked through, and what comes after. */
export const steps = 17;
