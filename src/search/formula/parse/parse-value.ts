import type { Bound, TextValue, Value } from '../ast.ts';
import { fail } from '../errors.ts';
import type { Span } from '../errors.ts';
import { endOfWildcard, refuseWildcard } from './refuse.ts';
import type { Run, Scanner } from './scanner.ts';

/** value = range | prefix | "*" | word | phrase; `before` is the end of the text that requires a value. */
export function readValue(scanner: Scanner, before: number): Value {
  const start = scanner.at;
  if (scanner.isQuote()) return readPhrase(scanner);
  if (scanner.take('*')) {
    if (scanner.startsWith('..')) return readRange(scanner, scanner.word(), start);
    if (!scanner.isWordSign() && !scanner.isQuote() && scanner.peek() !== '*') {
      return { kind: 'star', span: scanner.since(start) };
    }
    scanner.at -= 1;
    refuseWildcard(scanner);
  }
  const run = scanner.word();
  if (run.text === '') {
    const hint = 'Write a value directly after the comparison; quote a text with spaces or special characters.';
    fail('expected_value', { start: before, end: before }, 'Expected a value', hint);
  }
  const written = scanner.text(run.span);
  if (['AND', 'OR', 'NOT'].includes(written)) {
    fail('reserved_word', run.span, `${written} is an operator`, `Quote it to search for the word: "${written}".`);
  }
  // An escaped dash is part of the bound; an unescaped one would negate inside a group.
  const isPlain = !written.replace(/^\\-/, '').includes('\\');
  if (written.includes('..') && isPlain) return readRange(scanner, run, start);
  return readWord(scanner, run, start);
}

function readPhrase(scanner: Scanner): TextValue {
  const { text, span } = scanner.phrase();
  if (scanner.peek() === '*') refuseWildcard(scanner);
  return { kind: 'text', form: 'phrase', text, isEscaped: false, span };
}

function readWord(scanner: Scanner, { text, isEscaped }: Run, start: number): TextValue {
  const hasStar = scanner.take('*');
  if (hasStar) endOfWildcard(scanner);
  return { kind: 'text', form: hasStar ? 'prefix' : 'word', text, isEscaped, span: scanner.since(start) };
}

/** range = bound ".." bound | bound ".." [ "*" ] | [ "*" ] ".." bound */
function readRange(scanner: Scanner, { text, span }: Run, start: number): Value {
  const dots = text.indexOf('..');
  const [lowText, highText] = [text.slice(0, dots), text.slice(dots + 2)];
  if (scanner.peek() === '*') {
    if (highText !== '') refuseWildcard(scanner);
    scanner.at += 1;
    endOfWildcard(scanner);
  }
  const lowEnd = span.start + [...lowText].length;
  const low = toBound(lowText, { start: span.start, end: lowEnd });
  const high = toBound(highText, { start: lowEnd + 2, end: span.end });
  const whole = scanner.since(start);
  if (low === null && high === null) {
    fail('empty_range', whole, 'A range without a bound', 'Write at least one bound: 800.., ..1200 or 800..1200.');
  }
  return { kind: 'range', low, high, span: whole };
}

function toBound(text: string, span: Span): Bound | null {
  return text === '' ? null : { text, span };
}
