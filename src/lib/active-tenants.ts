/** Two tenants are served at the same time if both have asked for something within so many milliseconds. */
export const activeMs = 3_000;

/** Whether more than one tenant is served. Then each gets less of what keeps a processor busy; a single tenant has all. */
export class ActiveTenants {
  #last: number | undefined;
  #changedAt = -Infinity;

  /** Records that a tenant asks for something. */
  note(tenantId: number): void {
    if (tenantId === this.#last) return;
    if (this.#last !== undefined) this.#changedAt = performance.now();
    this.#last = tenantId;
  }

  get isShared(): boolean {
    return performance.now() - this.#changedAt < activeMs;
  }
}

/** The tenants of a service process. Only its start and `time-slice.ts` use it, because a process has one event loop. */
export const tenantsOfProcess = new ActiveTenants();
