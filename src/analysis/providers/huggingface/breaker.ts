/** Leaves what fails all the time alone for a while. */
export type Breaker = Readonly<{
  /** Whether a call may be made now; after a rest one may try whether it works again. */
  mayCall: () => boolean;
  succeeded: () => void;
  failed: () => void;
  /** The call was given up by the caller, which says nothing about who was called. */
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
