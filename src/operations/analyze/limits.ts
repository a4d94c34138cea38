/** Tenants whose pictures one process analyzes at the same time. */
export const parallelTenants = 32;

/**
 * Elements that one process claims at a time. Analyzing a picture takes longer than the statements for a chunk, so small
 * chunks cost nothing, and other processes find work in a batch of any size.
 */
export const elementsOfChunk = 8;

/** Pictures whose sources are being read or whose results are pending, beyond those that threads work on. */
const ahead = 2;

/** Additional pictures if they are the first of their tenant: large pictures of other tenants may take long. */
const aheadWithOwn = 8;

/** Pictures that one process analyzes at the same time. */
export function parallelPictures(workers: number): Readonly<{ capacity: number; capacityForFirst: number }> {
  return { capacity: workers + ahead, capacityForFirst: workers + ahead + aheadWithOwn };
}

/** Results are written in batches: this many, or what has arrived within this many milliseconds. */
export const batch = { items: 20, ms: 100 } as const;

/** Bytes of files that were just stored and are cached for their analysis, so that they are not read twice. */
export const cachedSourceBytes = 64 * 2 ** 20;

/** Maximum analysis time of one picture, in milliseconds; each analyzer and model has its own, lower limit. */
export const pictureMs = 600_000;

/** One in this many chunks of a tenant, and one in this many pictures, is the one that has waited longest. */
export const oldestEvery = 4;

/** Additional chunks that a tenant may have in progress, of operations that rank before the others. */
export const analysisChunksAhead = 2;

/**
 * Rank of an export or a search for duplicates, before that of every analysis: it takes no threads of the analysis and has
 * limits of its own, so it never waits for pictures.
 */
export const taskRank = -1;

/** Chunks of one tenant in progress in one process: enough for all threads, and the next one starts while another ends. */
export function chunksOfTenant(workers: number): number {
  return 1 + Math.ceil((workers + ahead) / elementsOfChunk);
}
