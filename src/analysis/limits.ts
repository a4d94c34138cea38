import type { DecodeCost } from './decode-cost.ts';

/** Largest picture that is decoded, as the contract sets it. */
export const maxPixels = 100_000_000;

/**
 * Most memory that decoding one picture may take: enough for 100 megapixels of 16 bits with
 * transparency, interlaced. What takes more is refused by its header.
 */
export const largestMemoryBytes = 2 ** 30;

/** Memory that the decoding of large pictures takes at the same time, in all processes together. */
export const decodingMemoryBytes = largestMemoryBytes;

/** Processor time that decoding one picture may take; then its process is ended. */
export const decodeSeconds = 30;

/**
 * From here on a picture is a large one: it is decoded in a process of its own, which can be ended, and its tenant's
 * turn counts by what it takes. A photograph of 60 megapixels is none.
 */
const largeFrom: DecodeCost = { seconds: 1, memoryBytes: 128 * 2 ** 20 };

export function isLarge({ seconds, memoryBytes }: DecodeCost): boolean {
  return seconds >= largeFrom.seconds || memoryBytes >= largeFrom.memoryBytes;
}

/**
 * Nice values of the processes that look at pictures. What somebody waits for has the priority of everything else;
 * analysis of what is stored gives way to requests.
 */
export const niceness = { interactive: 0, background: 3 } as const;

/** That of the decoding of a large picture while several tenants are served, whoever waits for it: it takes seconds. */
export const largeNiceness = 5;

/** Whether somebody waits for what a process does. */
export type Urgency = keyof typeof niceness;
export const urgencies = ['interactive', 'background'] as const satisfies readonly Urgency[];

/**
 * Urgent pictures that are looked at in one process at the same time beyond one for each thread: as many of one owner,
 * and as many more that are the first of theirs. So many of one owner may wait.
 */
export const urgentPictures = { ahead: 2, ofOthers: 8, waiting: 64 } as const;
