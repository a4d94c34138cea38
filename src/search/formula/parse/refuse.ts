import { fail } from '../errors.ts';
import type { Scanner } from './scanner.ts';

/** Fails unless the word ends with this `*`. */
export function endOfWildcard(scanner: Scanner): void {
  if (!scanner.isWordSign() && !scanner.isQuote() && !['*', ':'].includes(scanner.peek())) return;
  scanner.at -= 1;
  refuseWildcard(scanner);
}

/** Fails at the next `*`. */
export function refuseWildcard(scanner: Scanner): never {
  const hint =
    'Put * only at the end of a word: sun*. Explain author:lange to see values with a word; quote a literal *.';
  return fail('unsupported_wildcard', scanner.ahead(), "This '*' is not at the end of a word", hint);
}

const hints: Readonly<Record<string, string>> = {
  ':': 'A colon follows a field name directly, as in country:es. To search for the character, quote it.',
  '=': 'A comparison follows a field name directly, as in city=Vigo. To search for the character, quote it.',
  '<': 'A comparison follows a field name directly, as in width<800. To search for the character, quote it.',
  '>': 'A comparison follows a field name directly, as in width>800. To search for the character, quote it.',
  '~': 'Similarity terms are i~ID, i~~ID or i~~~ID. To search for the character, quote it.',
  ',': 'Separate terms with spaces, not commas.',
};

/** Fails at the next character. */
export function unexpected(scanner: Scanner): never {
  const sign = scanner.peek();
  const hint = hints[sign] ?? 'Quote it to search for the character itself.';
  return fail('unexpected_char', scanner.ahead(), `Unexpected '${sign}'`, hint);
}
