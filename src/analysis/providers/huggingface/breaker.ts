/** A circuit breaker: stops calls for a while after repeated failures. */
export type Breaker = Readonly<{
  /** Whether a call may be made now; after the pause one call may test whether it works again. */
  mayCall: () => boolean;
  succeeded: () => void;
  failed: () => void;
  /** The caller canceled the call, which says nothing about the service. */
  left: () => void;
}>;

export function createBreaker(failuresInRow: number, restMs: number): Breaker {
  let failures = 0;
  let closedUntil = 0;
  let isTrying = false;
  return {
    mayCall() {
      if (failures < failuresInRow) return true;
      if (isTrying || performance.now() < closedUntil) return false;
      isTrying = true;
      return true;
    },
    succeeded() {
      failures = 0;
      isTrying = false;
    },
    failed() {
      failures += 1;
      isTrying = false;
      if (failures >= failuresInRow) closedUntil = performance.now() + restMs;
    },
    left() {
      isTrying = false;
    },
  };
}
