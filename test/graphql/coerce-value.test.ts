import fc from 'fast-check';
import { buildSchema, coerceInputValue, GraphQLError } from 'graphql';
import type { GraphQLInputType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { coercerOf } from '../../src/graphql/server/coerce-value.ts';
import { runsOf } from '../support/effort.ts';

const schema = buildSchema(`
  type Query { a: Int }
  enum Kind { LARGE small }
  scalar Even
  input Point { x: Int!, y: Float = 1.5, label: String }
  input One @oneOf { a: Int, b: [String!] }
  input Tree { id: ID, kind: Kind, even: Even, flag: Boolean, names: [String!]!, points: [[Point]], one: One, left: Tree }
`);
const even = schema.getType('Even') as unknown as { parseValue: (value: unknown) => unknown };
even.parseValue = (value) => {
  if (typeof value === 'number' && value % 2 === 0) return value / 2;
  throw new GraphQLError('odd');
};
const typeNamed = (name: string) => schema.getType(name) as GraphQLInputType;

/** What graphql-js makes of a value; null for one with faults. */
function byReference(value: unknown, type: GraphQLInputType): { value: unknown } | null {
  const state = { isFaulty: false };
  const coerced = coerceInputValue(value, type, () => (state.isFaulty = true));
  return state.isFaulty ? null : { value: coerced };
}

function byUs(value: unknown, type: GraphQLInputType): { value: unknown } | null {
  const faults = { count: 0 };
  const coerced = coercerOf(type)(value, faults);
  return faults.count > 0 ? null : { value: coerced };
}

const leaf = fc.oneof(
  fc.constantFrom<unknown>(null, undefined, true, 'LARGE', 'small', 'other', 0, 4, -1, 1.5, 2 ** 31, -(2 ** 31), NaN),
  fc.string({ maxLength: 3 }),
);
const point = fc.record({ x: fc.oneof(fc.nat(9), leaf), y: leaf, label: leaf, z: leaf }, { requiredKeys: [] });
const one = fc.record({ a: fc.oneof(fc.nat(9), leaf), b: fc.oneof(fc.array(leaf), leaf) }, { requiredKeys: [] });
const names = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.string(), { maxLength: 3 }) },
  { weight: 1, arbitrary: leaf },
);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.record(
    {
      id: leaf,
      kind: fc.constantFrom('LARGE', 'small', 'other', null),
      even: fc.oneof(fc.constantFrom(2, 4), leaf),
      flag: fc.oneof(fc.boolean(), leaf),
      names,
      points: fc.oneof(fc.array(fc.array(point, { maxLength: 2 }), { maxLength: 2 }), point, leaf),
      one: fc.oneof(one, leaf),
      left: fc.oneof({ maxDepth: 3 }, fc.constant(null), tie('tree')),
    },
    { requiredKeys: ['names'] },
  ),
}));

describe('Variables', () => {
  test.each(['Tree', 'Point', 'One'])('of type %s are coerced as graphql-js coerces them', (name) => {
    const type = typeNamed(name);
    const values = name === 'Tree' ? tree : name === 'Point' ? point : one;
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: values }, { weight: 1, arbitrary: leaf }), (value) => {
        expect(byUs(value, type)).toEqual(byReference(value, type));
      }),
      { numRuns: runsOf('values') },
    );
  });

  test('do not take a name of the prototype for a field', () => {
    const value = JSON.parse('{"x":1,"__proto__":{"y":2},"constructor":3}') as unknown;
    expect(byUs(value, typeNamed('Point'))).toBeNull();
  });
});
