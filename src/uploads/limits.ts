const gibibyte = 2 ** 30;

/** Limits of uploaded files; docs/limits.md lists these values. */
export const uploadLimits = {
  /** Bytes of one file. */
  bytes: 4 * gibibyte,
  /** Bytes of a tenant's files, complete or not, that no record has referred to yet. */
  unusedBytes: 64 * gibibyte,
  unused: 20_000,
  /**
   * As long as a tenant is this far below its limits, files of at most this size can start in parallel: together they
   * cannot reach the limits.
   */
  far: { bytes: 64 * 2 ** 20, unusedBytes: 32 * gibibyte, unused: 19_000 },
  /** Parts of one file; clients may send it in small pieces. */
  parts: 4_096,
  /** Characters of a file name. */
  nameCharacters: 255,
} as const;

/** A part of a file is buffered in memory until it has this many bytes, then stored. */
export const partBytes = 4 * 2 ** 20;

/**
 * Maximum bytes of a file that a killed process loses: the part being stored, and what has been read of the next one.
 */
export const unstoredBytes = 2 * partBytes;

/** How long a file is kept if no record refers to it, or an upload if no more of it arrives. */
export const unusedHours = 24;
