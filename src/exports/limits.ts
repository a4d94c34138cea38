const gibibyte = 2 ** 30;

/** Limits of exports; docs/limits.md lists these values. */
export const exportLimits = {
  /** Records of one export. */
  records: 100_000,
  /** Total size of one tenant's files. */
  tenantBytes: 16 * gibibyte,
  /** Total size of all tenants' files. */
  bytes: 64 * gibibyte,
  /** An XMP packet of a picture that the metadata of its record is written to. */
  packetBytes: 4 * 2 ** 20,
  /** Its tags and attributes. */
  packetTags: 30_000,
  /** Segments or chunks of such a picture. */
  fileParts: 10_000,
} as const;

/** A part of a file is buffered in memory until it has this size, then stored. */
export const exportPartBytes = 8 * 2 ** 20;

/** How long a file is kept after its export has ended. */
export const exportHours = 24;

/** How long a file is kept at least after a part of it was sent; renewed while it is being sent. */
export const sendingHours = 1;

/** Maximum number of concurrent exports, per process and per tenant. */
export const parallelExports = { capacity: 4, perOwner: 1 } as const;

/** Maximum number of files being sent at the same time, per process and per tenant. */
export const parallelDownloads = { capacity: 64, perOwner: 16 } as const;
