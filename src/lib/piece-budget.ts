/** Limits on the pieces of a stream that others send: each piece costs time, and memory beyond its bytes. */
export const pieceLimits = {
  /** Number of pieces that may be of any size. */
  free: 4096,
  /** Minimum average size of further pieces, in bytes. */
  meanBytes: 64,
} as const;

/**
 * Counts the pieces of one stream, such as a request body: a million pieces of one byte would cost seconds of
 * processor time.
 */
export class PieceBudget {
  #pieces = 0;
  #bytes = 0;

  /** Counts a piece of `bytes` bytes. Returns whether the pieces have been large enough so far. */
  take(bytes: number): boolean {
    this.#pieces += 1;
    this.#bytes += bytes;
    return this.#pieces <= pieceLimits.free + this.#bytes / pieceLimits.meanBytes;
  }
}
