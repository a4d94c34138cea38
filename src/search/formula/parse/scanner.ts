import { fail } from '../errors.ts';
import type { Span } from '../errors.ts';

/** A run of word characters, unescaped. */
export type Run = Readonly<{ text: string; span: Span; isEscaped: boolean }>;

type BooleanOperator = 'AND' | 'OR' | 'NOT';

const space = /^\s$/u;
/** Characters that end a word. `:` does too, except after a digit. */
const delimiters = new Set([',', '(', ')', '"', '|', '*', '<', '>', '=', '~']);
const quotes = new Set(['"', '“', '”']);
const fieldStart = /^\p{L}$/u;
const fieldPart = /^[\p{L}\p{N}_.]$/u;

/** The characters of a formula, by code point, and its lexical rules. */
export class Scanner {
  readonly #signs: readonly string[];
  /** Whether the end of the text closes open groups and quotes. */
  readonly isUnfinished: boolean;
  /** Code points read so far. */
  at = 0;

  constructor(formula: string, isUnfinished = false) {
    this.#signs = [...formula];
    this.isUnfinished = isUnfinished;
  }

  get length(): number {
    return this.#signs.length;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#signs.length;
  }

  /** The character `ahead` positions after the next one; '' beyond the end. */
  peek(ahead = 0): string {
    return this.#signs[this.at + ahead] ?? '';
  }

  text({ start, end }: Span): string {
    return this.#signs.slice(start, end).join('');
  }

  /** The span from `start` to the current position. */
  since(start: number): Span {
    return { start, end: this.at };
  }

  /** The next `length` characters, or fewer at the end. */
  ahead(length = 1): Span {
    return { start: this.at, end: Math.min(this.at + length, this.length) };
  }

  /** Whether `text` (ASCII only) comes next. */
  startsWith(text: string): boolean {
    for (let index = 0; index < text.length; index += 1) if (this.peek(index) !== text[index]) return false;
    return true;
  }

  /** Skips `text` (ASCII only) if it comes next. */
  take(text: string): boolean {
    if (!this.startsWith(text)) return false;
    this.at += text.length;
    return true;
  }

  isSpace(ahead = 0): boolean {
    return space.test(this.peek(ahead));
  }

  isQuote(ahead = 0): boolean {
    return quotes.has(this.peek(ahead));
  }

  skipSpace(): void {
    while (this.isSpace()) this.at += 1;
  }

  /** Whether the character can be part of a word that starts with a letter. */
  isWordSign(ahead = 0): boolean {
    const sign = this.peek(ahead);
    if (sign === '' || sign === ':' || this.isSpace(ahead) || this.isQuote(ahead)) return false;
    if (sign === '&' && this.peek(ahead + 1) === '&') return false;
    return !delimiters.has(sign);
  }

  /** Reads word characters; if the word starts with a digit, also colons (`16:9`). */
  word(): Run {
    const start = this.at;
    const isEscaped = this.peek() === '\\';
    const hasColons = /^\\?[-+.]*\p{Nd}/u.test(this.#signs.slice(start, start + 8).join(''));
    let text = '';
    while (this.isWordSign() || (hasColons && this.peek() === ':')) text += this.sign();
    return { text, span: this.since(start), isEscaped };
  }

  #next(): string {
    const sign = this.peek();
    this.at += 1;
    return sign;
  }

  /** Reads a character, or the one that a backslash escapes. */
  sign(): string {
    const start = this.at;
    const sign = this.#next();
    if (sign !== '\\') return sign;
    if (!this.isAtEnd) return this.#next();
    return fail(
      'dangling_escape',
      { start, end: start + 1 },
      'A backslash at the end',
      'Add a character after it, or write \\\\ for the backslash itself.',
    );
  }

  /** Reads a quoted text, including its quotes. */
  phrase(): Run {
    const start = this.at;
    let text = '';
    this.at += 1;
    while (!this.isQuote()) {
      if (this.isAtEnd && this.isUnfinished) return { text, span: this.since(start), isEscaped: false };
      if (this.isAtEnd || (this.peek() === '\\' && this.at + 1 >= this.length)) {
        const problem = 'This quote is never closed';
        return fail('unclosed_quote', { start, end: start + 1 }, problem, 'Add a closing ".', ['"']);
      }
      if (this.peek() === '\\') this.at += 1;
      text += this.#next();
    }
    this.at += 1;
    return { text, span: this.since(start), isEscaped: false };
  }

  /** Returns the length of the field name that comes next; 0 if there is none. */
  fieldLength(): number {
    if (!fieldStart.test(this.peek())) return 0;
    let length = 1;
    while (fieldPart.test(this.peek(length))) length += 1;
    return length;
  }

  /** Returns the operator that comes next, if any, and its length. */
  operator(): Readonly<{ operator: BooleanOperator; length: number }> | null {
    if (this.peek() === '|') return { operator: 'OR', length: this.peek(1) === '|' ? 2 : 1 };
    if (this.peek() === '&' && this.peek(1) === '&') return { operator: 'AND', length: 2 };
    if (this.peek() === '&' && this.#isBounded()) return { operator: 'AND', length: 1 };
    for (const operator of ['AND', 'OR', 'NOT'] as const) {
      if (this.startsWith(operator) && this.#endsWord(operator.length)) return { operator, length: operator.length };
    }
    return null;
  }

  /** A single `&` is an operator only between spaces: R&B is a word. */
  #isBounded(): boolean {
    return this.isSpace(1) || this.peek(1) === '' || this.peek(1) === ')';
  }

  #endsWord(ahead: number): boolean {
    return !this.isWordSign(ahead) && !['*', ':', '=', '<', '>', '~'].includes(this.peek(ahead));
  }
}
