import type { Waiter, WaitReason } from './patiently.ts';

/** What a page shows while its requests wait for the service. */
export class Waiting implements Waiter {
  reason = $state.raw<WaitReason | null>(null);
  readonly #stop = new AbortController();

  readonly onWait = (reason: WaitReason | null): void => {
    this.reason = reason;
  };

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Ends the waiting. A request that is being answered is not aborted. */
  stop(): void {
    if (this.reason !== null) this.#stop.abort();
  }
}
