/** Most elements of one operation, as the contract sets it. */
export const maxElements = 10_000;

/**
 * Elements that are applied in one transaction. Large enough that the transaction's own cost
 * disappears, small enough that an abort or another tenant's turn is never far away.
 */
export const chunkSize = 200;

/** Chunks of an operation whose sources are read while an earlier one is stored. */
export const chunksAhead = 3;

/** How long one tenant keeps a worker before others that wait get it. */
export const leaseMs = 1_000;

/** A turn that is not renewed for this long belongs to a process that died. */
export const leaseSeconds = 10;

/** How often a worker looks whether its turn is still its own and its operation still wanted. */
export const pollMs = 2_000;

/** How often workers look for operations that no one calls for, and for workers that died. */
export const sweepMs = 1_000;

/** A worker without a session that has not been seen for this long is taken for dead. */
export const absentSeconds = 10;

/** How long the elements in flight may take to end when a worker closes. */
export const closeMs = 20_000;

/**
 * Tenants that one worker process serves at the same time: as good as all. A turn is little more
 * than a chunk in memory; what is scarce is shared out by a `FairSemaphore`.
 */
export const parallelLeases = 1_000;

/** Sources that one process reads at the same time, until a decoder takes them, and those of one tenant among them. */
export const parallelReads = { capacity: 32, perOwner: 16 } as const;

/**
 * Decodings that are under way at the same time for each thread. Small files wait for the way between processes and not
 * for a decoder: with sixteen of a tenant under way a processor was idle. Of large ones, so many are kept in memory twice.
 * While queries are answered, storing leaves the event loop to them. Pictures that take a process of their own wait
 * there, and here each tenant has at least one that does, up to so many tenants.
 */
export const parallelDecodings = {
  small: { alone: 32, besideQueries: 2, withOwn: 0 },
  large: { alone: 2, besideQueries: 1, withOwn: 0 },
  apart: { alone: 1, besideQueries: 1, withOwn: 32 },
} as const;

/** A file of so many bytes is a large one: decoding it takes longer than its way to the decoder. */
export const largeFileBytes = 2 ** 18;

/** A tenant that reads nothing may read one source more than that, so that slow ones starve nobody. */
export const readsWithOwn = 256;

/** Videos that may be read beyond one for each core, when they are the first of their tenant. */
export const videosWithOwn = 6;

/** Transactions that store chunks at the same time; the pool's other connections are for requests. */
export const parallelStores = 8;

/** Processes that may die over one element before it is given up. */
export const maxDeaths = 3;

/** Images among which duplicates are looked for by `i=`: up to 96 closer looks for each, which take a core two hours. */
export const maxComparedClosely = 100_000;

/** How long a caller's name for a write is known. */
export const keepKeysHours = 24;

/** How long an operation can be read after its end. */
export const keepOperationsDays = 30;

/** Longest wait of a blocking write in seconds: by default, and what a caller may ask for. */
export const waitSeconds = { default: 30, max: 120 } as const;
