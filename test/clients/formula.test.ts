import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { f } from '../../clients/typescript/src/index.ts';
import type { Formula } from '../../clients/typescript/src/index.ts';
import type { Leaf, Node, Tree, Value } from '../../src/search/formula/ast.ts';
import { parseFormula } from '../../src/search/formula/parse/parser.ts';
import { runsOf } from '../support/effort.ts';
import { character } from '../support/character.ts';

/** A tree without its places. */
type Plain = Readonly<Record<string, unknown>>;
type Case = Readonly<{ built: Formula; tree: Plain }>;

const text = fc
  .oneof(
    fc.constantFrom('AND', 'NOT', '*', '..', 'a..b', '-5', 'qh_', '" OR *', '“x”', '\\', 'null', 'a\nb', '🌅'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
    fc.string({ unit: character, minLength: 1, maxLength: 8 }),
  )
  // What no formula can have is refused: see the test below.
  .filter((each) => !/[^\P{Cc}\s]|\p{Cs}/u.test(each));
const number = fc.oneof(fc.integer(), fc.double({ noDefaultInfinity: true, noNaN: true, min: -1e25, max: 1e25 }));
const field = fc.constantFrom('country' as const, 'width' as const, 'keywords' as const, 'keywords.count' as const);

const textValue = (value: string): Plain => ({ kind: 'text', form: 'phrase', text: value });
const comparators = { eq: '=', ne: '!=', matches: ':', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;
const names = Object.keys(comparators) as (keyof typeof comparators)[];

const leaf: fc.Arbitrary<Case> = fc.oneof(
  fc.record({ name: fc.constantFrom(...names), field, value: text }).map(({ name, field: own, value }) => ({
    built: f[name](own, value),
    tree: { kind: 'field', field: own, comparator: comparators[name], value: textValue(value) },
  })),
  fc.record({ field, values: fc.array(text, { minLength: 2, maxLength: 3 }) }).chain(({ field: own, values }) => {
    const tree = (kind: string) => ({
      kind: 'field',
      field: own,
      comparator: ':',
      value: { kind, items: values.map(textValue) },
    });
    return fc.constantFrom(
      { built: f.anyOf(own, values), tree: tree('or') },
      { built: f.allOf(own, values), tree: tree('and') },
    );
  }),
  text.map((value) => ({ built: f.phrase(value), tree: textValue(value) })),
  text
    .filter((value) => !/\s/u.test(value))
    .map((value) => ({ built: f.words(value), tree: { kind: 'text', form: 'word', text: value } })),
  text.map((value) => ({ built: f.saved(value), tree: { kind: 'saved', name: value } })),
  fc.record({ value: text, minScore: fc.double({ min: 0, max: 1, noNaN: true }) }).map(({ value, minScore }) => ({
    built: f.similarTo({ id: value }, { by: 'subject', minScore: Math.round(minScore * 100) / 100 }),
    tree: {
      kind: 'similarity',
      operator: '~~',
      references: [{ scheme: 'id', value, isNegative: false }],
      minScore: Math.round(minScore * 100) / 100,
      box: null,
    },
  })),
  fc.constant({ built: f.is('landscape'), tree: { kind: 'flag', flag: 'is', name: 'landscape' } }),
  fc.constant({ built: f.all(), tree: { kind: 'everything' } }),
);

function treeOf(depth: number): fc.Arbitrary<Case> {
  if (depth === 0) return leaf;
  const part = treeOf(depth - 1);
  const parts = fc.array(part, { minLength: 2, maxLength: 3 });
  const joined = (kind: 'and' | 'or') =>
    parts.map((all) => ({
      built: f[kind](...all.map(({ built }) => built)),
      tree: { kind, items: all.map(({ tree }) => tree) },
    }));
  return fc.oneof(
    leaf,
    joined('and'),
    joined('or'),
    part.map(({ built, tree }) => ({ built: f.not(built), tree: { kind: 'not', item: tree } })),
  );
}

/** What the service reads, without places and without what only these say. */
function plain(node: Node | Tree<Value> | Leaf): unknown {
  return JSON.parse(JSON.stringify(node, (key, value) => (/span$|^isEscaped$/i.test(key) ? undefined : value)));
}

const read = (formula: Formula) => plain(parseFormula(String(formula)) as Node);

describe('the formula builder', () => {
  it('writes what the service reads as the same tree, whatever the values', () => {
    const property = fc.property(treeOf(2), ({ built, tree }) => {
      fc.pre(String(built).split('i~~').length <= 6);
      expect(read(built)).toEqual(tree);
    });
    fc.assert(property, { numRuns: runsOf('formulas') });
  });

  it('writes any number as digits', () => {
    const property = fc.property(number, (value) => {
      const { value: written } = read(f.eq('width', value)) as { value: { text: string } };
      expect(written.text).toMatch(/^-?\d+(\.\d+)?$/);
      expect(Number(written.text)).toBeCloseTo(value, 10);
    });
    fc.assert(property, { numRuns: runsOf('formulas') });
  });

  it.each([
    ['a range', f.between('date', '2023-06', '-30d'), 'date:2023-06..-30d'],
    ['an open range', f.between('width', 800, null), 'width:800..'],
    ['a moment', f.gt('created_at', new Date('2024-05-01T12:00:00Z')), 'created_at>2024-05-01T12:00:00.000Z'],
    ['a copy', f.copyOf('qh_abc', { tier: 'same' }), 'i==hash:"qh_abc"'],
    [
      'a box',
      f.similarTo({ url: 'https://a.example/b.jpg' }, { box: [10, 20, 50, 40] }),
      'i~url:"https://a.example/b.jpg"@box:10,20,50,40',
    ],
    ['a text', f.similarTo({ text: 'a red car' }), 'i~text:"a red car"'],
    ['words', f.words('sunset R&B'), 'sunset AND R\\&B'],
    ['a prefix', f.prefix('sun'), 'sun*'],
    ['what a field lacks', f.and(f.missing('caption'), f.has('lock')), 'no:caption AND has:lock'],
    ['a part as written', f.and(f.raw('a OR b'), f.not(f.raw('c'))), '(a OR b) AND (NOT (c))'],
  ])('writes %s', (_, built, expected) => {
    expect(String(built)).toBe(expected);
    expect(() => read(built)).not.toThrow();
  });

  it.each([
    ['no text', () => f.eq('country', '')],
    ['a control character', () => f.eq('country', 'a\0')],
    ['half of a character', () => f.phrase('\ud800')],
    ['no number', () => f.eq('width', Number.NaN)],
    ['a name that is none', () => f.eq('a:b OR c' as 'country', 'x')],
    ['an end that is none', () => f.between('date', '2024 OR *', null)],
    ['a list of nothing', () => f.anyOf('country', [])],
    ['a formula of nothing', () => f.and()],
  ])('refuses %s', (_, build) => {
    expect(build).toThrow(RangeError);
  });
});
