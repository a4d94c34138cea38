import { JsonFault } from '../../src/lib/json/index.ts';

/**
 * Reads JSON with the error messages of CPython's json module, which legacy clients know. JSON.parse does the work;
 * this parser runs only on text that JSON.parse rejects, to report where and why.
 */

/** Deeper nesting is rejected as unreadable, as CPython does near its recursion limit. */
const maxDepth = 900;
/** Maximum number of digits in an integer. */
const maxDigits = 4300;

/** @throws JsonFault, or RangeError for text that is nested too deeply. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return new Scanner(text).document();
  }
}

/**
 * Parses a text again for a reply that quotes it: an integer too large for a number becomes a bigint.
 *
 * @throws JsonFault, or RangeError for text that is nested too deeply.
 */
export function parseJsonExactly(text: string): unknown {
  return longNumber.test(text) ? new Scanner(text).document() : parseJson(text);
}

/** Numbers with this many digits may lose precision. */
const longNumber = /\d{16}/;

/** Keyed by first character. */
const literals: Readonly<Record<string, readonly [word: string, value: unknown]>> = {
  n: ['null', null],
  t: ['true', true],
  f: ['false', false],
  N: ['NaN', Number.NaN],
  I: ['Infinity', Number.POSITIVE_INFINITY],
  '-': ['-Infinity', Number.NEGATIVE_INFINITY],
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
const blank = 32;
const space = /[ \t\n\r]*/y;
/** The part of a string up to the next character that needs special handling. */
// oxlint-disable-next-line no-control-regex -- these are the characters that JSON forbids in strings
const plain = /[^"\\\u0000-\u001f]*/y;

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
    throw new JsonFault(message, Buffer.byteLength(this.#text.slice(0, at)));
  }

  /** Advances past whatever a sticky regular expression matches at the current position, and returns it. */
  #take(expression: RegExp): string {
    const start = this.#at;
    expression.lastIndex = start;
    if (!expression.test(this.#text)) return '';
    this.#at = expression.lastIndex;
    return this.#text.slice(start, this.#at);
  }

  #skipSpace(): void {
    // There is almost never any whitespace, and running a regular expression costs more than this check.
    if (this.#text.charCodeAt(this.#at) <= blank) this.#take(space);
  }

  #value(): unknown {
    const first = this.#text[this.#at] ?? '';
    if (first === '"') return this.#string();
    if (first === '{') return this.#nested(() => this.#object());
    if (first === '[') return this.#nested(() => this.#array());
    const literal = literals[first];
    if (literal !== undefined && this.#text.startsWith(literal[0], this.#at)) {
      this.#at += literal[0].length;
      return literal[1];
    }
    const digits = this.#take(number);
    if (digits === '') return this.#fail('Expecting value');
    const value = Number(digits);
    return Number.isSafeInteger(value) || /[.eE]/.test(digits) ? value : toBigInt(digits);
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

  /** Consumes the bracket or comma after an element; returns true for the bracket. */
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
      value += this.#take(plain);
      const sign = this.#text[this.#at];
      if (sign === undefined) return this.#fail('Unterminated string starting at', start);
      if (sign < ' ') return this.#fail('Invalid control character at');
      this.#at += 1;
      if (sign === '"') return value;
      value += this.#escape(start);
    }
  }

  #escape(start: number): string {
    const sign = this.#text[this.#at];
    if (sign === undefined) return this.#fail('Unterminated string starting at', start);
    if (sign === 'u') {
      const end = this.#at + 5;
      const digits = this.#text.slice(this.#at + 1, end);
      // At the very end of the text, an escape counts as faulty even if it is complete.
      const isWhole = end < this.#text.length && /^[0-9a-fA-F]{4}$/.test(digits);
      if (!isWhole) return this.#fail('Invalid \\uXXXX escape');
      this.#at = end;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const meant = escapes[sign];
    if (meant === undefined) return this.#fail('Invalid \\escape', this.#at - 1);
    this.#at += 1;
    return meant;
  }
}

/** Like CPython, rejects longer integers. @throws RangeError */
function toBigInt(digits: string): bigint {
  if (digits.length > maxDigits + Number(digits.startsWith('-'))) throw new RangeError('an integer too long');
  return BigInt(digits);
}
