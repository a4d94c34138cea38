import { beforeAll, describe, expect, it } from 'vitest';
import { formulaFields } from '../../../src/catalog/index.ts';
import { FormulaError, formulaErrorCodes, toProblem } from '../../../src/search/formula/index.ts';
import { parse } from '../../../src/search/formula/read-formula.ts';
import type { Saved } from '../../../src/search/formula/read-formula.ts';
import { readSaved } from '../../../src/search/formula/read-saved.ts';
import { refuseLong } from '../../../src/search/formula/parse/parser.ts';
import { now, outcome, read } from './read.ts';

const deep = (depth: number) => `${'('.repeat(depth)}a${')'.repeat(depth)}`;
const many = (count: number, join: string) => Array.from({ length: count }, (_, i) => `w${i}`).join(join);

/** Each formula with the code and the place of its mistake. */
const mistakes: readonly (readonly [formula: string, mistake: string])[] = [
  ['(dog', 'unclosed_paren 0'],
  ['dog AND', 'expected_term 7'],
  ['OR dog', 'unexpected_operator 0'],
  ['foo:bar', 'unknown_field 0'],
  ['width:abc', 'bad_number 6'],
  ['width>=1920,<=3000', 'comparator_in_set 11'],
  ['country:es, fr', 'dangling_comma 10'],
  ['country:es|fr', 'bar_in_value 10'],
  ['keywords:-dog', 'negated_value 9'],
  ['i="text"', 'image_reference_required 2'],
  ['i=====1', 'bad_similarity_operator 1'],
  ['i~1,2', 'comma_after_reference 3'],
  ['title:*sun', 'unsupported_wildcard 6'],
  ['date:2023-13', 'bad_date 5'],
  ['beach contry:es', 'unknown_field 6'],
  // Signs and operators
  [':dog', 'unexpected_char 0'],
  ['=5', 'unexpected_char 0'],
  ['a~b', 'unexpected_char 1'],
  ['"a":b', 'unexpected_char 3'],
  ['country :es', 'unexpected_char 8'],
  ['country==es', 'unexpected_char 8'],
  ['country:=es', 'unexpected_char 8'],
  ['country:es:fr', 'unexpected_char 10'],
  ['keywords:(city:x)', 'unexpected_char 14'],
  [',dog', 'unexpected_char 0'],
  ['dog\u0000', 'unexpected_char 3'],
  ['dog\ud800', 'unexpected_char 3'],
  ['has:a*', 'unexpected_char 5'],
  ['text=a', 'unexpected_char 5'],
  ['dog AND OR cat', 'unexpected_operator 8'],
  ['(AND dog)', 'unexpected_operator 1'],
  ['a | | b', 'unexpected_operator 4'],
  ['! dog', 'unexpected_operator 0'],
  ['-AND', 'unexpected_operator 1'],
  ['dog |', 'expected_term 5'],
  ['dog OR  ', 'expected_term 6'],
  ['(dog OR )', 'expected_term 7'],
  ['NOT', 'expected_term 3'],
  ['-', 'expected_term 0'],
  ['?', 'expected_term 0'],
  ['dog …', 'expected_term 4'],
  ['""', 'expected_term 0'],
  ['dog)', 'unbalanced_paren 3'],
  [')', 'unbalanced_paren 0'],
  [' ) dog', 'unbalanced_paren 1'],
  ['()', 'empty_group 0'],
  ['a ( )', 'empty_group 2'],
  ['keywords:()', 'empty_group 9'],
  ['(a (b)', 'unclosed_paren 0'],
  ['keywords:(a', 'unclosed_paren 9'],
  ['"abc', 'unclosed_quote 0'],
  ['a "abc\\"', 'unclosed_quote 2'],
  ['title:"abc', 'unclosed_quote 6'],
  ['dog\\', 'dangling_escape 3'],
  ['i~a\\', 'dangling_escape 3'],
  ['--dog', 'double_negation 1'],
  ['NOT -dog', 'double_negation 4'],
  ['-!dog', 'double_negation 1'],
  ['dog,', 'dangling_comma 3'],
  ['dog,,cat', 'dangling_comma 3'],
  ['(a b), c', 'dangling_comma 5'],
  ['country:es,', 'dangling_comma 10'],
  ['country:es,,fr', 'dangling_comma 10'],
  ['country:es ,fr', 'dangling_comma 11'],
  ['is:nsfw,bw', 'dangling_comma 7'],
  // Fields and values
  ['foo-bar:x', 'unknown_field 0'],
  ['http://x', 'unknown_field 0'],
  ['fps:30', 'unknown_field 0'],
  ['has:foo', 'unknown_field 4'],
  ['is:foo', 'unknown_flag 3'],
  ['is:caption', 'unknown_flag 3'],
  ['country:', 'expected_value 8'],
  ['country: ', 'expected_value 8'],
  ['(country:)', 'expected_value 9'],
  ['country:|x', 'expected_value 8'],
  ['has:', 'expected_value 4'],
  ['title:""', 'expected_value 6'],
  ['title:?', 'expected_value 6'],
  ['city=""', 'expected_value 5'],
  ['width>*', 'expected_value 6'],
  ['width:1e3', 'bad_number 6'],
  ['width:1..b', 'bad_number 9'],
  ['width:10,x', 'bad_number 9'],
  ['nsfw:maybe', 'bad_boolean 5'],
  ['date:2023-02-30', 'bad_date 5'],
  ['date:0000', 'bad_date 5'],
  ['date:-99999999y', 'bad_date 5'],
  ['date:2023..later', 'bad_date 11'],
  ['created_at:2024-05-01T25:00', 'bad_date 11'],
  ['aspect_ratio:0', 'bad_ratio 13'],
  ['aspect_ratio:16/9', 'bad_ratio 13'],
  ['orientation:wide', 'bad_enum 12'],
  ['color:sunset', 'bad_color 6'],
  ['color:navy@300', 'bad_color 6'],
  ['country>es', 'not_ordered 7'],
  ['id:a..b', 'not_ordered 3'],
  ['title:*sun', 'unsupported_wildcard 6'],
  ['su*n', 'unsupported_wildcard 2'],
  ['"sun"*', 'unsupported_wildcard 5'],
  ['*sun', 'unsupported_wildcard 0'],
  ['sun**', 'unsupported_wildcard 3'],
  ['width:20*', 'unsupported_wildcard 8'],
  ['(dog)*', 'unsupported_wildcard 5'],
  ['keywords:(dog)*', 'unsupported_wildcard 14'],
  ['keywords:((dog)* cat)', 'unsupported_wildcard 15'],
  ['saved:recent*', 'unsupported_wildcard 12'],
  ['collection:"May"*', 'unsupported_wildcard 16'],
  ['i~12*', 'unsupported_wildcard 4'],
  ['i~(1 2)*', 'unsupported_wildcard 7'],
  ['status:!a', 'negated_value 7'],
  ['date:-x', 'negated_value 5'],
  ['keywords:AND', 'reserved_word 9'],
  ['country:es,OR', 'reserved_word 11'],
  ['width:1,<=3', 'comparator_in_set 8'],
  ['width>1..3', 'comparator_in_set 6'],
  ['width>(1 2)', 'comparator_in_set 6'],
  ['country:*,es', 'star_in_set 8'],
  ['width:..', 'empty_range 6'],
  ['width:5..3', 'empty_range 6'],
  ['date:2024..2023', 'empty_range 5'],
  // Similarity
  ['i~', 'expected_reference 2'],
  ['i~ 1', 'expected_reference 2'],
  ['i~()', 'expected_reference 3'],
  ['i~id:', 'expected_reference 5'],
  ['i~=1', 'bad_similarity_operator 1'],
  ['i~~~~1', 'bad_similarity_operator 1'],
  ['i:1', 'bad_similarity_operator 1'],
  ['i~1@2', 'bad_similarity_option 4'],
  ['i~1@0.5@0.6', 'bad_similarity_option 8'],
  ['i~1@box:1,2,3', 'bad_similarity_option 4'],
  ['i~1@box:60,0,50,10', 'bad_similarity_option 4'],
  ['i~"a"@box:0,0,50,10', 'bad_similarity_option 6'],
  ['i~1@', 'bad_similarity_option 4'],
  ['i~(1,2)', 'comma_after_reference 4'],
  ['i=(1 2)', 'one_reference_only 2'],
  ['i~(-1 -2)', 'no_positive_reference 2'],
  ['i=text:dog', 'image_reference_required 2'],
  ['saved:none', 'unknown_reference 6'],
  // Limits
  [deep(21), 'too_deep 20'],
  [many(201, ' '), `too_complex ${many(200, ' ').length + 1}`],
  [`keywords:${many(101, ',')}`, `too_complex ${`keywords:${many(100, ',')}`.length + 1}`],
  ['a'.repeat(4097), 'too_complex 4096'],
  ['i~(1 2 3) i~(4 5 6)', 'too_complex 17'],
  ['i====1 OR i====2', 'too_complex 10'],
  // The first from the left
  ['width:abc (dog', 'bad_number 6'],
  ['foo:a bar:b', 'unknown_field 0'],
  ['"🌅 sunset" contry:es', 'unknown_field 11'],
];

describe('a mistake', () => {
  it.each(mistakes.map(([formula, mistake]) => [formula.slice(0, 40), mistake, formula] as const))(
    'in %j is %s',
    (_, mistake, formula) => {
      expect(outcome(formula)).toBe(mistake);
    },
  );

  it.each([
    [deep(20), 'a'],
    [many(200, ' '), many(200, ' AND ')],
    [`keywords:${many(100, ',')}`, `keywords:${many(100, ',')}`],
    ['a'.repeat(4096), 'a'.repeat(4096)],
    ['i~(1 2 3) i~(4 5)', 'i~(1 2 3) AND i~(4 5)'],
  ])('begins just beyond the limits', (formula, text) => {
    expect(outcome(formula)).toBe(text);
  });

  it('has a test here for every code that an image formula can have', () => {
    const tested = new Set(mistakes.map(([, mistake]) => mistake.split(' ')[0]));
    const others = ['bad_duration', 'not_watchable']; // The second one is about formulas that watch.
    expect([...tested, ...others].toSorted()).toEqual([...formulaErrorCodes].toSorted());
    expect(outcome('duration_secs:1x', { resource: 'video' })).toBe('bad_duration 14');
  });

  it('is explained with its place, length, expectation, hint and a pointer', () => {
    const formula = 'beach contry:es';
    const error = mistakeOf(formula);
    expect(toProblem(formula, error)).toEqual({
      loc: ['query', 'q'],
      msg: "Unknown field 'contry' at 6",
      type: 'formula.unknown_field',
      input: formula,
      ctx: {
        position: 6,
        length: 6,
        expected: ['country'],
        hint: 'Did you mean country?',
        pointer: 'beach contry:es\n      ^^^^^^',
      },
    });
  });

  it('names each color that may be meant once, be it a shade, a family or both', () => {
    expect(mistakeOf('color:orangee').hint).toBe('Did you mean orange or orangered?');
  });

  it('in a long formula is shown with what stands around it', () => {
    const long = `${'ñ, '.repeat(100)}contry:es ${'o '.repeat(1000)}`;
    const { input, ctx } = toProblem(long, mistakeOf(long));
    expect(input).toBe(`${long.slice(0, 256)} …`);
    const [line = '', underline = ''] = ctx.pointer.split('\n');
    expect([ctx.position, line.length]).toEqual([300, 260]);
    expect(line.slice(underline.indexOf('^'), underline.lastIndexOf('^') + 1)).toBe('contry');
  });

  it('repeats no more than the beginning of what was written', () => {
    const long = 'x'.repeat(4000);
    for (const formula of [`${long}:a`, `width:${long}`, `is:${long}`, `keywords:-${long}`, `"${long}`]) {
      expect(JSON.stringify(toProblem(formula, mistakeOf(formula))).length, formula.slice(0, 20)).toBeLessThan(1500);
    }
  });

  it('of a text beyond all limits is reported without reading it', () => {
    const signs = new Proxy(new String('a '.repeat(5_000_000)), {
      get: (text, name) => (name === 'length' ? text.length : expect.unreachable(`asked for ${String(name)}`)),
    });
    expect(() => refuseLong(signs as unknown as string)).toThrow('longer than 4096 characters at 4096');
    const text = 'a '.repeat(5_000_000);
    expect(JSON.stringify(toProblem(text, mistakeOf(text))).length).toBeLessThan(1500);
  });

  it('counts code points and points at one sign where something is missing', () => {
    const formula = '🌅\nsun OR';
    const { position, length } = mistakeOf(formula);
    expect([position, length]).toEqual([0, 1]);
    expect(toProblem('a\nb AND', mistakeOf('a\nb AND')).ctx).toMatchObject({ length: 0, pointer: 'a b AND\n       ^' });
  });

  it.each(mistakes.map(([formula]) => [formula.slice(0, 40), formula] as const))(
    'has words and a hint: %j',
    (_, formula) => {
      const error = mistakeOf(formula);
      expect(error.message).toMatch(/^\S.+ at \d+$/s);
      expect(error.hint).toMatch(/\S{2}/);
      expect(error.position).toBeLessThanOrEqual([...formula].length);
      expect(error.position + error.length).toBeLessThanOrEqual([...formula].length);
    },
  );
});

describe('a saved formula', () => {
  const saved: Readonly<Record<string, string>> = {
    sea: 'beach | keywords:sea',
    self: 'a saved:self',
    bad: 'foo:1',
    none: '',
  };
  const formulas = new Map(Object.entries(saved).map(([name, text]) => [name, parse(text)]));
  let found: ReadonlyMap<string, Saved>;
  const findSaved = (name: string) => found.get(name) ?? null;

  beforeAll(async () => {
    found = await readSaved(formulas, { resource: 'image', now });
  });

  it('stands for what it says', () => {
    expect(read('saved:sea', { findSaved }).condition).toMatchObject({ kind: 'or' });
    expect(read('saved:none', { findSaved }).condition).toMatchObject({ kind: 'everything' });
    expect(outcome('-saved:"sea"', { findSaved })).toBe('NOT saved:sea');
  });

  it.each([
    ['saved:self', 'too_deep 6'],
    ['a saved:bad', 'unknown_field 8'],
    ['saved:other', 'unknown_reference 6'],
    ['saved:', 'expected_value 6'],
  ])('may be at fault at its name: %s', (formula, mistake) => {
    expect(outcome(formula, { findSaved })).toBe(mistake);
  });
});

describe('every field', () => {
  it.each(formulaFields.flatMap(({ name, sql }) => Object.keys(sql).map((resource) => [name, resource] as const)))(
    '%s of an %s can be asked for its presence',
    (name, resource) => {
      expect(outcome(`has:${name}`, { resource: resource as 'image' })).toBe(`has:${name}`);
    },
  );
});

function mistakeOf(formula: string): FormulaError {
  try {
    read(formula);
  } catch (error) {
    if (error instanceof FormulaError) return error;
  }
  throw new Error(`no mistake was found in ${formula}`);
}
