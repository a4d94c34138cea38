import { backslash, comma, openArray, openObject, quote } from './bytes.ts';
import { JsonTooLarge } from './faults.ts';
import type { JsonLimits } from './faults.ts';

/**
 * Counts the values of a JSON text that arrives in pieces, in the same way as `Assembly`: one for each comma and container.
 */
export class ValueTally {
  #values = 0;
  readonly #limits: JsonLimits;
  #isInString = false;
  #isEscaped = false;
  /** Bytes read so far of the current string. */
  #stringBytes = 0;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** @throws JsonTooLarge as soon as the text has too many values, or a string is too long. */
  add(piece: Buffer): void {
    let [values, isInString, isEscaped, start] = [this.#values, this.#isInString, this.#isEscaped, -this.#stringBytes];
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at];
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) {
          isInString = false;
          this.#checkLength(at - start);
        }
      } else if (byte === quote) {
        isInString = true;
        start = at + 1;
      } else if (byte === comma || byte === openArray || byte === openObject) values += 1;
    }
    [this.#values, this.#isInString, this.#isEscaped] = [values, isInString, isEscaped];
    this.#stringBytes = isInString ? piece.length - start : 0;
    this.#checkLength(this.#stringBytes);
    if (values > this.#limits.values) throw new JsonTooLarge('values');
  }

  #checkLength(bytes: number): void {
    if (bytes > this.#limits.valueBytes) throw new JsonTooLarge('valueBytes');
  }
}
