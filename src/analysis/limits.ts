/** Largest picture that is decoded, in pixels, as defined by the contract. */
export const maxPixels = 100_000_000;

/**
 * Memory in bytes for decoding one picture, and for all large ones that are decoded at the same time, unless `DECODE_MEMORY`
 * says otherwise. Pictures that need more are rejected after reading their header. It is enough for a progressive JPEG of
 * 100 megapixels, a TIFF of 50 megapixels and 16 bits in one strip, and an AVIF of 35 megapixels. Large interlaced PNGs need
 * less, since they are halved first (png/halve.ts).
 */
export const decodeMemoryBytes = 640 * 2 ** 20;

/**
 * After this long without work, analysis threads and processes end and free the memory of their models. Loading
 * models again takes seconds, so they stay through the pauses of someone working in the console.
 */
export const idleMs = 300_000;

/** Seconds of processor time for decoding one picture; after that, its process is ended. */
export const decodeSeconds = 30;

/**
 * Nice values of the analysis processes. Searches and other requests have priority over pictures that a caller waits for,
 * which take tens of milliseconds each; these have priority over the analysis of stored pictures.
 */
export const niceness = { interactive: 2, background: 4 } as const;

/**
 * Nice value of the session that analyzes stored pictures while requests are answered: it gets only leftover
 * processor time.
 */
export const leftoverNiceness = 19;

/** Nice value for decoding a large picture while several tenants are served, urgent or not: it takes seconds. */
export const largeNiceness = 5;

/** Whether a caller waits for the result of a process. */
export type Urgency = keyof typeof niceness;
export const urgencies = ['interactive', 'background'] as const satisfies readonly Urgency[];

/**
 * Number of urgent pictures analyzed in one process at the same time, beyond one per thread: `ahead` for each owner,
 * plus `ofOthers` that are the first of their owner. Up to `waiting` pictures of one owner may wait.
 */
export const urgentPictures = { ahead: 2, ofOthers: 8, waiting: 64 } as const;
