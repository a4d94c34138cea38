/** Two tenants count as served at the same time if both have sent a request within this many milliseconds. */
export const activeMs = 3_000;

/**
 * Tracks whether more than one tenant is being served. If so, each gets less CPU-intensive work done; a single tenant
 * gets everything.
 */
export class ActiveTenants {
  #last: number | undefined;
  #lastAt = -Infinity;
  /** Time of the last request from a tenant other than the most recent one. */
  #otherAt = -Infinity;

  /** Records a request of a tenant. */
  note(tenantId: number): void {
    if (tenantId !== this.#last) this.#otherAt = this.#lastAt;
    this.#last = tenantId;
    this.#lastAt = performance.now();
  }

  get isShared(): boolean {
    return performance.now() - this.#otherAt < activeMs;
  }

  /** Milliseconds since the last request of any other tenant. */
  sinceOthersThan(tenantId: number): number {
    return performance.now() - (tenantId === this.#last ? this.#otherAt : this.#lastAt);
  }
}

/**
 * The tenants of this service process. Used only at startup and by `time-slice.ts`, because a process has one event loop.
 */
export const tenantsOfProcess = new ActiveTenants();
