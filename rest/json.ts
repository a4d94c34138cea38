/**
 * Reading JSON with the error messages of CPython's json module, which legacy clients have seen.
 * JSON.parse does the work; only a text that it refuses is read again here, to say where and why.
 */

/** Where a text stops being JSON, counted in characters. */
export class JsonError extends Error {
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

/** Deeper nesting than this is refused as unreadable, as CPython does near its recursion limit. */
const maxDepth = 900;

/** @throws JsonError, or RangeError for a text that is nested too deep. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return new Scanner(text).document();
  }
}

const literals: Readonly<Record<string, unknown>> = {
  null: null,
  true: true,
  false: false,
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
};
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

class Scanner {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): unknown {
    this.#skipSpace();
    const value = this.#value();
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail('Extra data');
    return value;
  }

  #fail(message: string, at = this.#at): never {
    throw new JsonError(message, [...this.#text.slice(0, at)].length);
  }

  #skipSpace(): void {
    while (' \t\n\r'.includes(this.#text[this.#at] ?? '?')) this.#at += 1;
  }

  #value(): unknown {
    const first = this.#text[this.#at];
    if (first === '"') return this.#string();
    if (first === '{') return this.#nested(() => this.#object());
    if (first === '[') return this.#nested(() => this.#array());
    for (const [word, value] of Object.entries(literals)) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    number.lastIndex = this.#at;
    const [digits] = number.exec(this.#text) ?? [];
    if (digits === undefined) return this.#fail('Expecting value');
    this.#at += digits.length;
    return Number(digits);
  }

  #nested<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new RangeError('nested too deep');
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #object(): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    this.#at += 1;
    this.#skipSpace();
    if (this.#text[this.#at] === '}') {
      this.#at += 1;
      return {};
    }
    for (;;) {
      if (this.#text[this.#at] !== '"') this.#fail('Expecting property name enclosed in double quotes');
      const name = this.#string();
      this.#skipSpace();
      if (this.#text[this.#at] !== ':') this.#fail("Expecting ':' delimiter");
      this.#at += 1;
      this.#skipSpace();
      entries.push([name, this.#value()]);
      this.#skipSpace();
      if (this.#closes('}')) return Object.fromEntries(entries);
    }
  }

  #array(): unknown[] {
    const elements: unknown[] = [];
    this.#at += 1;
    this.#skipSpace();
    if (this.#text[this.#at] === ']') {
      this.#at += 1;
      return elements;
    }
    for (;;) {
      elements.push(this.#value());
      this.#skipSpace();
      if (this.#closes(']')) return elements;
    }
  }

  /** Steps over the bracket or the comma after an element. */
  #closes(bracket: string): boolean {
    const sign = this.#text[this.#at];
    if (sign !== bracket && sign !== ',') this.#fail("Expecting ',' delimiter");
    this.#at += 1;
    if (sign === bracket) return true;
    this.#skipSpace();
    return false;
  }

  #string(): string {
    const start = this.#at;
    let value = '';
    this.#at += 1;
    for (;;) {
      const sign = this.#text[this.#at];
      if (sign === undefined) return this.#fail('Unterminated string starting at', start);
      if (sign === '"') break;
      if (sign < ' ') return this.#fail('Invalid control character at');
      this.#at += 1;
      value += sign === '\\' ? this.#escape(start) : sign;
    }
    this.#at += 1;
    return value;
  }

  #escape(start: number): string {
    const sign = this.#text[this.#at];
    if (sign === undefined) return this.#fail('Unterminated string starting at', start);
    if (sign === 'u') {
      const digits = this.#text.slice(this.#at + 1, this.#at + 5);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) return this.#fail('Invalid \\uXXXX escape', this.#at);
      this.#at += 5;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const plain = escapes[sign];
    if (plain === undefined) return this.#fail('Invalid \\escape', this.#at - 1);
    this.#at += 1;
    return plain;
  }
}
