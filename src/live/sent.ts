/** What is to be done when the replies to the operations of one WebSocket have left. */
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

  /** The last message of this operation has left. */
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
