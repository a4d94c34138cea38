import fc from 'fast-check';
import type { Leaf, Node, Tree, Value } from '../../../src/search/formula/ast.ts';
import { character } from '../../support/character.ts';

const span = { start: 0, end: 0 };

/** Texts of the pieces that formulas are made of, and of anything else. */
export const anyFormula: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...'()"“”\\:=!<>~*|&,.-@ \t\n'.split(''),
        ' ',
        ' ',
        'AND',
        ' OR ',
        'NOT ',
        'i~',
        'i==',
        'i====',
        'id:',
        'url:',
        '@0.5',
        '@box:1,2,3,4',
        'width',
        'width:',
        'keywords:(',
        'date:',
        '-30d',
        '..',
        '2024-05',
        'has:',
        'is:',
        'saved:',
        'title=',
        'color:navy@3',
        'nsfw:',
        'null',
        'aspect_ratio:16:9',
        'dog',
        'ñandú',
        'ёж',
        '🌅',
        '12',
        '\0',
        '\ud800',
      ),
      fc.string({ maxLength: 4, unit: character }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''));

const letters = fc.constantFrom(...'abñéжЯ0129-_.:,"\\()*|&!=~<>@%/ ’'.split(''));
const someText = fc.oneof(
  fc.constantFrom('dog', 'AND', 'OR', 'NOT', 'i', 'R&B', '16:9', '-5', 'a..b', '&&', '&', '-', '“', 'saved', '2024-05'),
  fc.string({ unit: letters, minLength: 1, maxLength: 8 }),
);
const field = fc.constantFrom('title', 'keywords', 'country', 'width', 'date', 'any.thing', 'x_1');

/** As the parser makes values: a first sign that would negate was escaped. */
const textValue: fc.Arbitrary<Value> = fc
  .record({ form: fc.constantFrom('word' as const, 'prefix' as const, 'phrase' as const), text: someText })
  .map(({ form, text }) => ({
    kind: 'text',
    form,
    text,
    isEscaped: form !== 'phrase' && /^[^\p{L}\p{N}]/u.test(text),
    span,
  }));
const bound = fc.constantFrom('1', '-2', '2024-05', '-30d', '16:9').map((text) => ({ text, span }));
const rangeValue: fc.Arbitrary<Value> = fc
  .record({ low: fc.option(bound), high: fc.option(bound) })
  .filter(({ low, high }) => low !== null || high !== null)
  .map((ends) => ({ kind: 'range', ...ends, span }));
const star: fc.Arbitrary<Value> = fc.constant({ kind: 'star', span });
const value = fc.oneof({ weight: 4, arbitrary: textValue }, rangeValue, star);

const fieldTerm: fc.Arbitrary<Leaf> = fc
  .record({
    field,
    comparator: fc.constantFrom(':' as const, '=' as const, '!=' as const),
    value: treeOf(value, 2),
  })
  .map((term) => ({ kind: 'field', ...term, fieldSpan: span, comparatorSpan: span, span }));
const compared: fc.Arbitrary<Leaf> = fc
  .record({
    field,
    comparator: fc.constantFrom('<' as const, '<=' as const, '>' as const, '>=' as const),
    value: textValue,
  })
  .map((term) => ({ kind: 'field', ...term, fieldSpan: span, comparatorSpan: span, span }));
const text: fc.Arbitrary<Leaf> = fc
  .record({ form: fc.constantFrom('word' as const, 'prefix' as const, 'phrase' as const), text: someText })
  .map((term) => ({ kind: 'text', ...term, span }));
const similarity: fc.Arbitrary<Leaf> = fc
  .record({
    value: someText,
    operator: fc.constantFrom('~' as const, '~~' as const, '=' as const, '===' as const),
    scheme: fc.constantFrom('id' as const, 'hash' as const, 'url' as const),
    minScore: fc.option(fc.constantFrom(0, 0.25, 1)),
    box: fc.option(fc.constant([1, 2, 30, 40] as const)),
  })
  .map(({ value: own, scheme, ...term }) => ({
    kind: 'similarity',
    ...term,
    references: [{ scheme, value: own, isNegative: false, span }],
    span,
  }));
const named: fc.Arbitrary<Leaf> = fc.oneof(
  fc.constant<Leaf>({ kind: 'flag', flag: 'has', name: 'title', nameSpan: span, span }),
  fc.constant<Leaf>({ kind: 'everything', span }),
  someText.map<Leaf>((name) => ({ kind: 'saved', name, nameSpan: span, span })),
);

/** Any tree of a few leaves. */
function treeOf<L>(leaf: fc.Arbitrary<L>, depth: number): fc.Arbitrary<Tree<L>> {
  if (depth === 0) return leaf;
  const inner = treeOf(leaf, depth - 1);
  const items = fc.array(inner, { minLength: 2, maxLength: 3 });
  return fc.oneof(
    { weight: 3, arbitrary: leaf as fc.Arbitrary<Tree<L>> },
    items.map<Tree<L>>((own) => ({ kind: 'and', items: own, span })),
    items.map<Tree<L>>((own) => ({ kind: 'or', items: own, span })),
    inner.map<Tree<L>>((item) => ({ kind: 'not', item, span })),
  );
}

/** Syntax trees as the parser could make them. */
export const anyNode: fc.Arbitrary<Node> = treeOf(
  fc.oneof({ weight: 3, arbitrary: text }, { weight: 3, arbitrary: fieldTerm }, compared, similarity, named),
  3,
);
