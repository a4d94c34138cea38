/** Tenants whose pictures one process analyses at the same time. */
export const parallelTenants = 32;

/**
 * Elements that one process takes at a time. Looking at a picture takes longer than the statements for a chunk, so small
 * ones cost nothing, and other processes find something to do in a batch of any size.
 */
export const elementsOfChunk = 8;

/** Pictures whose sources are read and results awaited beside those that threads work on. */
const ahead = 2;

/** Further ones that are the first of their tenant: another tenant's large pictures may wait long for their turn. */
const aheadWithOwn = 8;

/** Pictures that one process analyses at the same time. */
export function parallelPictures(workers: number): Readonly<{ capacity: number; capacityForFirst: number }> {
  return { capacity: workers + ahead, capacityForFirst: workers + ahead + aheadWithOwn };
}

/** Results are kept together: so many, or what has come in so many milliseconds. */
export const batch = { items: 20, ms: 100 } as const;

/** Files that were just stored and are kept for their analysis, so that they are not read twice. */
export const cachedSourceBytes = 64 * 2 ** 20;

/** Longest analysis of one picture; each analyzer and model has limits of its own below it. */
export const pictureMs = 600_000;

/** Of so many chunks that a process takes of a tenant, and of so many pictures, one is of what has waited longest. */
export const oldestEvery = 4;

/** Chunks that a tenant may have at work beyond those, of operations that go before what is at work. */
export const chunksAhead = 2;

/** Chunks of one tenant at work in one process: enough for all threads, and the next one begins while another ends. */
export function chunksOfTenant(workers: number): number {
  return 1 + Math.ceil((workers + ahead) / elementsOfChunk);
}
