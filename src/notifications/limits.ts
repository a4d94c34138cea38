/** How many notifications are kept per tenant, and for how long. */
export const notificationLimits = {
  days: 30,
  rowsPerTenant: 1_000_000,
  /** Rows per read. */
  read: 1_000,
} as const;
