/** How many notifications of a tenant are kept, and how long. */
export const notificationLimits = {
  days: 30,
  rowsPerTenant: 1_000_000,
  /** Rows of one read. */
  read: 1_000,
} as const;
