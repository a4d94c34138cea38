const gibibyte = 2 ** 30;

/** Limits of exports; docs/limits.md lists these values. */
export const exportLimits = {
  /** Records of one export. */
  records: 100_000,
  /** Files of one tenant together. */
  tenantBytes: 16 * gibibyte,
  /** Files of all tenants together. */
  bytes: 64 * gibibyte,
  /** An XMP packet of a picture that gets the metadata of its record. */
  packetBytes: 4 * 2 ** 20,
  /** Its tags and attributes. */
  packetTags: 30_000,
  /** Segments or chunks of such a picture. */
  fileParts: 10_000,
} as const;

/** A part of a file is stored once it has this size; until then it is in memory. */
export const exportPartBytes = 8 * 2 ** 20;

/** How long a file is kept after its export has ended. */
export const exportHours = 24;

/** How long a file is kept at least after a part of it was sent; renewed while it is being sent. */
export const sendingHours = 1;

/** Maximum exports that one process runs at the same time, in total and per tenant. */
export const parallelExports = { capacity: 4, perOwner: 1 } as const;

/** Maximum files that one process sends at the same time, in total and per tenant. */
export const parallelDownloads = { capacity: 64, perOwner: 16 } as const;
