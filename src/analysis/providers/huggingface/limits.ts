/** Limits of calls to the provider. Milliseconds unless stated otherwise. */
export type CallLimits = Readonly<{
  /** For one attempt, including its response. */
  attemptMs: number;
  attempts: number;
  /** First pause before an attempt is repeated; it doubles each time. */
  pauseMs: number;
  /** Longest pause; if the server asks for a longer one, the call fails. */
  maxPauseMs: number;
  /** Concurrent requests to all models together. */
  parallel: number;
  /** Maximum number of texts per embedding request; as many as endpoints usually accept. */
  texts: number;
  /** Largest response in bytes. */
  maxBytes: number;
  /** Consecutive failed calls after which a model is not called, and for how long. */
  failuresInRow: number;
  restMs: number;
}>;

export const callLimits: CallLimits = {
  attemptMs: 30_000,
  attempts: 4,
  pauseMs: 500,
  maxPauseMs: 10_000,
  parallel: 8,
  texts: 32,
  maxBytes: 8 * 2 ** 20,
  failuresInRow: 5,
  restMs: 30_000,
};
