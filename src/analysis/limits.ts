/** Largest picture that is decoded, as the contract sets it. */
export const maxPixels = 100_000_000;

/**
 * Maximum memory for decoding one picture: enough for 100 megapixels of 16 bits with
 * transparency, interlaced. Pictures that need more are refused by their header.
 */
export const largestMemoryBytes = 2 ** 30;

/** Memory for decoding large pictures at the same time, in all processes together. */
export const decodingMemoryBytes = largestMemoryBytes;

/** Processor time for decoding one picture; then its process is ended. */
export const decodeSeconds = 30;

/**
 * Nice values of the analysis processes. Interactive work has the same priority as everything else;
 * analysis of stored pictures yields to requests.
 */
export const niceness = { interactive: 0, background: 3 } as const;

/** Nice value for decoding a large picture while several tenants are served, whoever waits for it: it takes seconds. */
export const largeNiceness = 5;

/** Whether somebody waits for the result of a process. */
export type Urgency = keyof typeof niceness;
export const urgencies = ['interactive', 'background'] as const satisfies readonly Urgency[];

/**
 * Urgent pictures that are analyzed in one process at the same time, beyond one per thread: `ahead` of one owner,
 * and `ofOthers` more that are the first of their owner. `waiting` pictures of one owner may wait.
 */
export const urgentPictures = { ahead: 2, ofOthers: 8, waiting: 64 } as const;
