/** Callbacks for when the replies to the operations of one WebSocket have been sent. */
export class Sent {
  readonly #acts = new Map<string, (() => void)[]>();
  #isClosed = false;

  /** Calls `act` when the operation of this id has been answered, or the socket is closed. */
  whenSent(id: string, act: () => void): void {
    if (this.#isClosed) return act();
    const acts = this.#acts.get(id);
    if (acts === undefined) this.#acts.set(id, [act]);
    else acts.push(act);
  }

  /** Runs the callbacks of an operation whose last message was sent. */
  complete(id: string): void {
    const acts = this.#acts.get(id) ?? [];
    this.#acts.delete(id);
    for (const act of acts) act();
  }

  close(): void {
    this.#isClosed = true;
    for (const id of [...this.#acts.keys()]) this.complete(id);
  }
}
