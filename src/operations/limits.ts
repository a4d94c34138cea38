/** Most elements of one operation, as spec/decisions.md sets it. */
export const maxElements = 10_000;

/**
 * Elements that are applied in one transaction. Large enough that the transaction's own cost
 * disappears, small enough that an abort or another tenant's turn is never far away.
 */
export const chunkSize = 200;

/** Chunks of an operation whose sources are read while an earlier one is stored. */
export const chunksAhead = 3;

/** How long one tenant keeps a worker before others that wait get it. */
export const turnMs = 1_000;

/** A turn that is not renewed for this long belongs to a process that died. */
export const leaseSeconds = 10;

/** How often a turn is renewed while sources are being read. */
export const renewMs = 3_000;

/** How often workers look for operations that no one calls for. */
export const sweepMs = 3_000;

/** Tenants that one worker process serves at the same time. */
export const parallelTurns = 8;

/** Sources of one operation that are read at the same time. */
export const parallelReads = 8;

/** How long a caller's name for a write is known. */
export const keepKeysHours = 24;

/** How long an operation can be read after its end. */
export const keepOperationsDays = 30;

/** Longest wait of a blocking write in seconds: by default, and what a caller may ask for. */
export const waitSeconds = { default: 30, max: 120 } as const;
