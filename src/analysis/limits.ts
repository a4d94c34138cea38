/** Largest picture that is decoded, as the contract sets it. */
export const maxPixels = 100_000_000;

/**
 * Memory for decoding one picture, and for all large ones that are decoded at the same time, unless `DECODE_MEMORY`
 * says otherwise. Pictures that need more are refused by their header. It is enough for a progressive JPEG of
 * 100 megapixels, a TIFF of 50 megapixels and 16 bits in one strip, and an AVIF of 35 megapixels. Large interlaced PNGs
 * take less, since they are halved first (png/halve.ts).
 */
export const decodeMemoryBytes = 640 * 2 ** 20;

/** Processor time for decoding one picture; then its process is ended. */
export const decodeSeconds = 30;

/**
 * Nice values of the analysis processes. Searches and other requests go before pictures that somebody waits for, which
 * take tens of milliseconds each, and these before the analysis of stored pictures.
 */
export const niceness = { interactive: 2, background: 4 } as const;

/** Nice value of the session of the analysis of stored pictures while requests are answered: what they leave. */
export const leftoverNiceness = 19;

/** Nice value for decoding a large picture while several tenants are served, urgent or not: it takes seconds. */
export const largeNiceness = 5;

/** Whether somebody waits for the result of a process. */
export type Urgency = keyof typeof niceness;
export const urgencies = ['interactive', 'background'] as const satisfies readonly Urgency[];

/**
 * Urgent pictures that are analyzed in one process at the same time, beyond one per thread: `ahead` of one owner,
 * and `ofOthers` more that are the first of their owner. `waiting` pictures of one owner may wait.
 */
export const urgentPictures = { ahead: 2, ofOthers: 8, waiting: 64 } as const;
