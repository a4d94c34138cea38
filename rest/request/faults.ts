import { excerptOf } from '../../src/lib/excerpt.ts';
import type { Problem } from '../../src/lib/http-contract.ts';

/** Maximum number of faults that a reply lists; any others are only counted. */
const maxListed = 100;

type Mark = Readonly<{ count: number; listed: number }>;

/** The faults of a request, collected while its values are read. */
export class Faults {
  /** The first faults, in the order found. */
  readonly listed: Problem[] = [];
  /** The number of all faults. */
  count = 0;
  readonly #place: (string | number)[] = [];

  /** Descends into a part of the value: the member with this name, or the element at this index. */
  enter(part: string | number): void {
    this.#place.push(part);
  }

  leave(): void {
    this.#place.pop();
  }

  /** The current position, for `goBack`. */
  mark(): Mark {
    return { count: this.count, listed: this.listed.length };
  }

  /** Discards the faults added since the mark. */
  goBack({ count, listed }: Mark): void {
    this.count = count;
    this.listed.length = listed;
  }

  /** Adds a fault at the current place. Returns undefined, the result of reading a faulty value. */
  add(type: string, msg: string, input: unknown, ctx?: Problem['ctx']): undefined {
    this.count += 1;
    if (this.listed.length === maxListed) return;
    this.listed.push({ type, loc: this.#place.map(String), msg, input: excerptOf(input), ...(ctx && { ctx }) });
  }
}
