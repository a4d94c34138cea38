import { excerptOf } from '../../src/lib/excerpt.ts';
import type { Problem } from '../../src/lib/http-contract.ts';

/** Faults that an answer lists; the others are counted. */
const maxListed = 100;

type Mark = Readonly<{ count: number; listed: number }>;

/** The faults of a request, found while it is read from place to place. */
export class Faults {
  /** The first of them, in the order in which they were found. */
  readonly listed: Problem[] = [];
  /** All of them. */
  count = 0;
  readonly #place: (string | number)[] = [];

  /** Goes into a part of the value: the member of this name, or the element of this index. */
  enter(part: string | number): void {
    this.#place.push(part);
  }

  leave(): void {
    this.#place.pop();
  }

  /** How many there are now, to go back to. */
  mark(): Mark {
    return { count: this.count, listed: this.listed.length };
  }

  /** Forgets those that came later. */
  goBack({ count, listed }: Mark): void {
    this.count = count;
    this.listed.length = listed;
  }

  /** Adds a fault of the value at this place. Gives undefined, which is what a faulty value is read as. */
  add(type: string, msg: string, input: unknown, ctx?: Problem['ctx']): undefined {
    this.count += 1;
    if (this.listed.length === maxListed) return;
    this.listed.push({ type, loc: this.#place.map(String), msg, input: excerptOf(input), ...(ctx && { ctx }) });
  }
}
