/** Tenants are served beside each other while two of them have asked for something within so many milliseconds. */
export const activeMs = 3_000;

/**
 * Whether this process serves more than one tenant at the moment. A tenant alone has all that there is; beside others it
 * has less of what keeps a processor busy at once.
 */
export class ActiveTenants {
  #last: number | undefined;
  #changedAt = -Infinity;

  /** A tenant asks for something. */
  note(tenantId: number): void {
    if (tenantId === this.#last) return;
    if (this.#last !== undefined) this.#changedAt = performance.now();
    this.#last = tenantId;
  }

  get isShared(): boolean {
    return performance.now() - this.#changedAt < activeMs;
  }
}

/** That of this process. */
export const activeTenants = new ActiveTenants();
