import fc from 'fast-check';
import type { ValueType } from '../../../rest/endpoints/types.ts';
import { character } from '../character.ts';

/** Texts for values of a type: plain ones, and every spelling that one could take for another. */

const anywhere = fc.oneof(
  fc.string(),
  fc.string({ unit: character }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\n',
    'null',
    'None',
    'undefined',
    'NaN',
    '[]',
    '{}',
    '"a"',
    'a,b',
    'ｘ',
    '😀',
    'İ',
    'ß',
  ),
);

/** Words made of few letters, which meet the rules of numbers often. */
const numeric = fc.string({
  unit: fc.constantFrom('0', '1', '9', '5', '_', '.', '+', '-', ' ', 'e', '\t', 'x'),
  maxLength: 7,
});
const blanks = fc.constantFrom(
  '',
  ' ',
  '\t',
  '\n',
  '\r\n',
  '\u00a0',
  '\u0085',
  '\u2003',
  '\u001c',
  '\ufeff',
  '\u200b',
  '\u000b',
  '\u180e',
);

const integers = fc.oneof(
  fc.integer({ min: -3, max: 12_000 }).map(String),
  numeric,
  fc
    .tuple(blanks, fc.constantFrom('7', '+5', '-3', '0', '10000', '10001', '1.0', '1.'), blanks)
    .map((each) => each.join('')),
  fc.constantFrom(
    '00',
    '-0',
    '+0',
    '0.0',
    '1_000',
    '1__0',
    '_1',
    '1_',
    '1_0.0',
    '1.0_0',
    '1.00',
    '1.01',
    '1e3',
    '1E0',
    '0x10',
    '0b1',
    '0o7',
    '１',
    '٣',
    '১',
    '½',
    '²',
    '9007199254740993',
    '9'.repeat(30),
    `-${'9'.repeat(30)}`,
    '9'.repeat(4300),
    '9'.repeat(4301),
    `0${'9'.repeat(4300)}`,
    `${'0'.repeat(4301)}1`,
    `${'9'.repeat(4300)}.0`,
    `${'9'.repeat(4301)}.0`,
    `+${'9'.repeat(4301)}`,
    `${'9'.repeat(2200)}_${'9'.repeat(2200)}`,
    ` ${'9'.repeat(4301)}`,
    `1.${'0'.repeat(5000)}`,
    '- 5',
    '+-5',
    '--5',
    '5-',
    '1 0',
    '1,000',
    'Infinity',
    '-Infinity',
    'inf',
    'nan',
    '1.0e0',
    '.0',
    '0.',
    '1.0.0',
    '9223372036854775807',
    '9223372036854775808',
    '18446744073709551616',
  ),
);

const cases = (word: string) =>
  fc
    .nat(2 ** word.length - 1)
    .map((mask) => [...word].map((letter, at) => ((mask >> at) & 1 ? letter.toUpperCase() : letter)).join(''));

const booleans = fc.oneof(
  fc.constantFrom('true', 't', 'yes', 'y', 'on', '1', 'false', 'f', 'no', 'n', 'off', '0').chain(cases),
  fc.constantFrom(
    '',
    ' true',
    'true ',
    '1.0',
    '0.0',
    '01',
    '2',
    '-1',
    'yep',
    'null',
    'ｔrue',
    'yeſ',
    'oﬀ',
    'İ',
    'truE\0',
    '１',
    'TRUE\n',
    'on,off',
    'tr',
  ),
);

function enums(values: readonly string[]): fc.Arbitrary<string> {
  const value = fc.constantFrom(...values);
  return fc.oneof(
    { weight: 5, arbitrary: value },
    { weight: 1, arbitrary: value.chain(cases) },
    {
      weight: 1,
      arbitrary: fc.tuple(value, fc.constantFrom(' ', ',', '\0', '\n', ',id')).map((each) => each.join('')),
    },
    { weight: 1, arbitrary: anywhere },
  );
}

/** A text of path, query or form. */
export function oddText(type: ValueType): fc.Arbitrary<string> {
  switch (type.kind) {
    case 'boolean':
      return fc.oneof({ weight: 9, arbitrary: booleans }, { weight: 1, arbitrary: anywhere });
    case 'integer':
      return fc.oneof({ weight: 9, arbitrary: integers }, { weight: 1, arbitrary: anywhere });
    case 'enum':
      return enums(type.values);
    default:
      return anywhere;
  }
}
