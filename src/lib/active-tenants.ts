/** Two tenants are served at the same time if both have asked for something within so many milliseconds. */
export const activeMs = 3_000;

/** Whether more than one tenant is served. Then each gets less of what keeps a processor busy; a single tenant has all. */
export class ActiveTenants {
  #last: number | undefined;
  #lastAt = -Infinity;
  /** When another tenant than the last one asked for something. */
  #otherAt = -Infinity;

  /** Records that a tenant asks for something. */
  note(tenantId: number): void {
    if (tenantId !== this.#last) this.#otherAt = this.#lastAt;
    this.#last = tenantId;
    this.#lastAt = performance.now();
  }

  get isShared(): boolean {
    return performance.now() - this.#otherAt < activeMs;
  }

  /** Milliseconds since a tenant other than this one has asked for something. */
  sinceOthersThan(tenantId: number): number {
    return performance.now() - (tenantId === this.#last ? this.#otherAt : this.#lastAt);
  }
}

/** The tenants of a service process. Only its start and `time-slice.ts` use it, because a process has one event loop. */
export const tenantsOfProcess = new ActiveTenants();
