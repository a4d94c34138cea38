import { backslash, comma, openArray, openObject, quote } from './bytes.ts';

/** Counts values without making them, as `Assembly` counts: each comma and each container is one. */
export class ValueCounter {
  values: number;
  readonly #bytes: Buffer;
  readonly #fragmentBytes: number;
  #at: number;
  #isInString = false;

  constructor(bytes: Buffer, at: number, values: number, fragmentBytes: number) {
    [this.#bytes, this.#at, this.#fragmentBytes] = [bytes, at, fragmentBytes];
    this.values = values;
  }

  /** Reads the next fragment; true at the end of the text. */
  advance(): boolean {
    const bytes = this.#bytes;
    const end = Math.min(this.#at + this.#fragmentBytes, bytes.length);
    let [at, values, isInString] = [this.#at, 0, this.#isInString];
    for (; at < end; at += 1) {
      const byte = bytes[at];
      if (isInString) {
        if (byte === quote) isInString = false;
        else if (byte === backslash) at += 1;
      } else if (byte === quote) isInString = true;
      else if (byte === comma || byte === openArray || byte === openObject) values += 1;
    }
    [this.#at, this.#isInString] = [at, isInString];
    this.values += values;
    return at >= bytes.length;
  }
}
