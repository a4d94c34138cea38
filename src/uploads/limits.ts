const gibibyte = 2 ** 30;

/** What is kept of uploaded files; docs/limits.md has these values. */
export const uploadLimits = {
  /** Of one file. */
  bytes: 4 * gibibyte,
  /** Of a tenant: files that no write has named yet, complete or not. */
  unusedBytes: 64 * gibibyte,
  unused: 20_000,
  /** So far from the limits of a tenant, files of at most so many bytes need not wait for each other: they cannot reach them together. */
  far: { bytes: 64 * 2 ** 20, unusedBytes: 32 * gibibyte, unused: 19_000 },
  /** Parts of one file, for clients that send it in small pieces. */
  parts: 4_096,
  /** Of a file name. */
  nameCharacters: 255,
} as const;

/** A part of a file is stored when so much of it is there; what comes in is in memory until then. */
export const partBytes = 4 * 2 ** 20;

/** What a process that is killed loses of a file at most: a part that it is storing, and what it has read of the next. */
export const unstoredBytes = 2 * partBytes;

/** How long a file is kept that nothing names, and one of which nothing more arrives. */
export const unusedHours = 24;
