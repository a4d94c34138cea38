const gibibyte = 2 ** 30;

/** Limits of uploaded files; docs/limits.md lists these values. */
export const uploadLimits = {
  /** Bytes of one file. */
  bytes: 4 * gibibyte,
  /** Bytes of a tenant's files that no record has named yet, complete or not. */
  unusedBytes: 64 * gibibyte,
  unused: 20_000,
  /**
   * While a tenant is this far from its limits, files of at most this many bytes need not wait for each other: together they
   * cannot reach the limits.
   */
  far: { bytes: 64 * 2 ** 20, unusedBytes: 32 * gibibyte, unused: 19_000 },
  /** Parts of one file, for clients that send it in small pieces. */
  parts: 4_096,
  /** Characters of a file name. */
  nameCharacters: 255,
} as const;

/** A part of a file is stored once this many bytes have arrived; until then they are in memory. */
export const partBytes = 4 * 2 ** 20;

/**
 * Maximum bytes of a file that are lost if a process is killed: a part that it is storing, and what it has read of the next.
 */
export const unstoredBytes = 2 * partBytes;

/** How long a file is kept if nothing names it, or if no more of it arrives. */
export const unusedHours = 24;
