/** Limits of the pieces of a stream that others send: each piece costs time, and memory beyond its bytes. */
export const pieceLimits = {
  /** Pieces that may be of any size. */
  free: 4096,
  /** Bytes that further pieces must have on average. */
  meanBytes: 64,
} as const;

/** Counts the pieces of one stream, for example the chunks of a body: a million of one byte cost seconds of processor time. */
export class PieceBudget {
  #pieces = 0;
  #bytes = 0;

  /** Counts a piece of `bytes` bytes. Returns whether the pieces are large enough so far. */
  take(bytes: number): boolean {
    this.#pieces += 1;
    this.#bytes += bytes;
    return this.#pieces <= pieceLimits.free + this.#bytes / pieceLimits.meanBytes;
  }
}
