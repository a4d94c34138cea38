/** How the provider is spoken to. Milliseconds, unless said otherwise. */
export type CallLimits = Readonly<{
  /** For one attempt, its answer included. */
  attemptMs: number;
  attempts: number;
  /** First pause before an attempt is repeated; it doubles. */
  pauseMs: number;
  /** Longest pause, also where the server asks for a longer one: then the call fails. */
  maxPauseMs: number;
  /** Requests under way to all models together. */
  parallel: number;
  /** Largest answer in bytes. */
  maxBytes: number;
  /** Calls that fail one after the other before a model is left alone, and for how long. */
  failuresInRow: number;
  restMs: number;
}>;

export const callLimits: CallLimits = {
  attemptMs: 30_000,
  attempts: 4,
  pauseMs: 500,
  maxPauseMs: 10_000,
  parallel: 8,
  maxBytes: 8 * 2 ** 20,
  failuresInRow: 5,
  restMs: 30_000,
};
