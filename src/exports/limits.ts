const gibibyte = 2 ** 30;

/** What is kept of exports; docs/limits.md has these values. */
export const exportLimits = {
  /** Records of one export. */
  records: 100_000,
  /** Files of one tenant together. */
  tenantBytes: 16 * gibibyte,
  /** Files of all tenants together. */
  bytes: 64 * gibibyte,
} as const;

/** A part of a file is stored when so much of it is there; it is in memory until then. */
export const exportPartBytes = 8 * 2 ** 20;

/** How long a file is kept. */
export const exportHours = 24;

/** Exports that one process makes at the same time, for all tenants and for one. */
export const parallelExports = { capacity: 4, perOwner: 1 } as const;

/** Files that one process sends at the same time, to all tenants and to one. */
export const parallelDownloads = { capacity: 64, perOwner: 16 } as const;
