/** Tenants whose pictures one process analyzes at the same time. */
export const parallelTenants = 32;

/**
 * Elements that one process claims at a time. Analyzing a picture takes longer than the statements for a chunk, so
 * small chunks cost nothing, and they leave work for other processes however small the batch.
 */
export const elementsOfChunk = 8;

/** Pictures beyond one per thread, whose sources are being read or whose results are being stored. */
const ahead = 2;

/** Additional pictures, if they are the only ones of their tenant: large pictures of other tenants may take long. */
const aheadWithOwn = 8;

/** Pictures that one process analyzes at the same time. */
export function parallelPictures(workers: number): Readonly<{ capacity: number; capacityForFirst: number }> {
  return { capacity: workers + ahead, capacityForFirst: workers + ahead + aheadWithOwn };
}

/** Results are written in batches: this many, or what has arrived within this many milliseconds. */
export const batch = { items: 20, ms: 100 } as const;

/** Bytes of files just stored, cached for their analysis so that they need not be read twice. */
export const cachedSourceBytes = 64 * 2 ** 20;

/** Maximum analysis time of one picture, in milliseconds; each analyzer and model has its own, lower limit. */
export const pictureMs = 600_000;

/** One in this many chunks of a tenant, and one in this many pictures, is whichever has waited longest. */
export const oldestEvery = 4;

/** Additional chunks that a tenant may have in progress if their rank is lower than that of the others. */
export const analysisChunksAhead = 2;

/**
 * Rank of a task, before every analysis: it needs no analysis threads and has limits of its own, so it never waits
 * for pictures.
 */
export const taskRank = -1;

/**
 * Chunks that one tenant has in progress in one process: enough for all threads, with the next one starting as
 * another ends.
 */
export function chunksOfTenant(workers: number): number {
  return 1 + Math.ceil((workers + ahead) / elementsOfChunk);
}
