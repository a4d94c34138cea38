import { exportLimits } from '../exports/index.ts';

/** Maximum number of elements of an export, which writes no records. */
export const maxExported = exportLimits.records;

/** Maximum length of the JSON of the values that a write by formula sets: it is stored with every chunk. */
export const maxSetBytes = 64 * 1024;

/**
 * Elements that are applied in one transaction: enough to make its overhead negligible, few enough that an abort or a
 * tenant waiting for the worker never waits long.
 */
export const chunkSize = 200;

/** Chunks of an operation whose sources are read while an earlier chunk is stored. */
export const chunksAhead = 3;

/**
 * Chunks of new records with their analyses that are stored together while no other tenant is served. No sources are
 * read for them, so even this many take only a fraction of a second.
 */
export const chunksTogether = 2;

/**
 * Concurrent transactions of one tenant while no other tenant is served, if their order does not matter: while one
 * commits, the database works on the next.
 */
export const parallelStoresOfTenant = 3;

/** How long a tenant keeps a worker before tenants that wait get their turn. */
export const leaseMs = 1_000;

/** A lease that is not renewed for this long belongs to a process that died. */
export const leaseSeconds = 10;

/** How often a worker checks that it still has its lease and that its operation is not aborted. */
export const pollMs = 2_000;

/** How often workers look for operations whose queue call was lost, and for dead workers. */
export const sweepMs = 1_000;

/** A worker without a session that has not been seen for this long counts as dead. */
export const absentSeconds = 10;

/** How long elements in flight may take to finish when a worker closes. */
export const closeMs = 20_000;

/**
 * Tenants that one worker process serves at the same time: in practice, all. A lease costs little more memory than a
 * chunk; a `FairSemaphore` shares out whatever is scarce.
 */
export const parallelLeases = 1_000;

/**
 * Sources that one process reads at the same time. A read counts until a decoder takes its bytes; `perOwner` is the
 * limit per tenant.
 */
export const parallelReads = { capacity: 32, perOwner: 16 } as const;

/**
 * Pictures being decoded at the same time, per thread. For small files, the transfer between processes takes longer
 * than decoding: even with sixteen per tenant in flight, one core was idle. Large files are in memory twice while
 * they are decoded. While queries are being answered, fewer pictures are decoded, which leaves the event loop to the
 * queries. Pictures that need their own decoding process wait there (`apart`); each tenant has at least one slot for
 * them, up to `withOwn` tenants.
 */
export const parallelDecodings = {
  small: { alone: 32, besideQueries: 2, withOwn: 0 },
  large: { alone: 2, besideQueries: 1, withOwn: 0 },
  apart: { alone: 1, besideQueries: 1, withOwn: 32 },
} as const;

/** Files of this size or more are large: decoding them takes longer than transferring them to the decoder. */
export const largeFileBytes = 2 ** 18;

/**
 * Up to this many reads, a tenant that reads nothing may start one beyond the limit, so that slow sources starve
 * nobody.
 */
export const readsWithOwn = 256;

/** Additional videos, beyond one per core, that may be read if they are the first of their tenant. */
export const videosWithOwn = 6;

/** Number of processes that may die while trying an element before it is given up on. */
export const maxCrashes = 3;

/**
 * Patience with an operation that cannot be stored although the database is available: a bug, or a worker older than
 * the database schema. After this many tries and this much time, elements are stored one by one, so that only the
 * faulty ones fail. After twice as much, the operation is aborted, because it holds up the tenant's later ones.
 */
export const storePatience = { tries: 10, seconds: 600 } as const;

/** Maximum number of images for a duplicate search by `i=`: up to 96 close comparisons each, two hours on one core. */
export const maxComparedClosely = 100_000;

/** How long an idempotency key is remembered. */
export const keepKeysHours = 24;

/** How long processes that keep previews can look up which ones a purge has removed. */
export const keepRemovalsDays = 7;

/** How long an operation can be read after it has ended. */
export const keepOperationsDays = 30;

/** How long changes of records are kept, by default. */
export const keepHistoryDays = 90;

/** How long a blocking write waits, in seconds: by default, and at most. */
export const waitSeconds = { default: 30, max: 120 } as const;
