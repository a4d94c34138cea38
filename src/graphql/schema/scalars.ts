import { GraphQLError, Kind, valueFromASTUntyped } from 'graphql';
import type { ValueNode } from 'graphql';
import { parseTime } from '../../lib/parse-time.ts';
import { builder } from './builder.ts';

/** JSON numbers are exact integers up to this value; our ids and counters stay far below. */
const largest = Number.MAX_SAFE_INTEGER;

function toBigInt(value: unknown): number {
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || Math.abs(number) > largest) {
    throw new GraphQLError(`BigInt cannot be ${describeValue(value)}`);
  }
  return number;
}

builder.scalarType('BigInt', {
  description: 'An integer beyond 32 bits, as a JSON number.',
  serialize: Number,
  parseValue: toBigInt,
  parseLiteral: inDocument(toBigInt),
});

function toDate(value: unknown): Date {
  const date = typeof value === 'string' ? parseTime(value) : null;
  if (date === null) throw new GraphQLError(`DateTime cannot be ${describeValue(value)}`);
  return date;
}

builder.scalarType('DateTime', {
  description: 'A time: RFC 3339 in UTC with milliseconds.',
  serialize: (value) => (typeof value === 'string' ? value : value.toISOString()),
  parseValue: toDate,
  parseLiteral: inDocument(toDate),
});

builder.scalarType('FacetKey', {
  description: 'A facet value: a string or a Boolean.',
  serialize: (value) => value,
  parseValue() {
    throw new GraphQLError('FacetKey is never an argument');
  },
});

builder.scalarType('FieldValue', {
  description: 'The value of a field of a record: a string, a number, a Boolean or a list of strings.',
  serialize: (value) => value,
  parseValue() {
    throw new GraphQLError('FieldValue is never an argument');
  },
});

/** Formats a value for a message; a list or an object may be too deep and too long to print. */
export function describeValue(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : String(value);
}

/** Reads a literal value in a document, so that its error has a location; integers keep every digit. */
function inDocument<T>(
  read: (value: unknown) => T,
): (node: ValueNode, variables?: Record<string, unknown> | null) => T {
  return (node, variables) => {
    try {
      return read(node.kind === Kind.INT ? integerOf(node.value) : valueFromASTUntyped(node, variables));
    } catch (error) {
      throw error instanceof GraphQLError ? new GraphQLError(error.message, { nodes: node }) : error;
    }
  };
}

function integerOf(digits: string): unknown {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}
