import { isEnumType, isInputObjectType, isListType, isNonNullType } from 'graphql';
import type { GraphQLEnumType, GraphQLInputObjectType, GraphQLInputType, GraphQLScalarType } from 'graphql';

/** Counts the values that their types reject. */
export type FaultCount = { count: number };

/** Returns the value in the form that resolvers get. For a value with faults, the result is meaningless. */
type Coerce = (value: unknown, faults: FaultCount) => unknown;

/** One function per type, created when first needed: input types may contain themselves. */
const coercers = new WeakMap<GraphQLInputType, Coerce>();

/**
 * Returns the function that coerces values of a type as the GraphQL specification requires ("Input coercion"); faults are
 * counted but not described.
 */
export function coercerOf(type: GraphQLInputType): Coerce {
  let coerce = coercers.get(type);
  if (coerce === undefined) coercers.set(type, (coerce = createCoercer(type)));
  return coerce;
}

function createCoercer(type: GraphQLInputType): Coerce {
  if (isNonNullType(type)) return nonNull(coercerOf(type.ofType));
  if (isListType(type)) return nullable(list(coercerOf(type.ofType)));
  if (isInputObjectType(type)) return nullable(object(type));
  return nullable(isEnumType(type) ? ofEnum(type) : (builtIn[type.name] ?? scalar(type)));
}

function fault(faults: FaultCount): undefined {
  faults.count += 1;
}

function nullable(coerce: Coerce): Coerce {
  return (value, faults) => (value === null || value === undefined ? null : coerce(value, faults));
}

function nonNull(coerce: Coerce): Coerce {
  return (value, faults) => (value === null || value === undefined ? fault(faults) : coerce(value, faults));
}

/** A single value becomes a list of one. */
function list(coerce: Coerce): Coerce {
  return (value, faults) =>
    Array.isArray(value) ? value.map((each: unknown) => coerce(each, faults)) : [coerce(value, faults)];
}

function ofEnum(type: GraphQLEnumType): Coerce {
  return (value, faults) => {
    const found = typeof value === 'string' ? type.getValue(value) : undefined;
    return found === undefined || found === null ? fault(faults) : found.value;
  };
}

function object(type: GraphQLInputObjectType): Coerce {
  const fields = new Map(Object.entries(type.getFields()));
  const expected = [...fields.values()].filter(
    ({ type: inner, defaultValue }) => isNonNullType(inner) || defaultValue !== undefined,
  );
  return (value, faults) => {
    if (typeof value !== 'object' || Array.isArray(value)) return fault(faults);
    const given = value as Record<string, unknown>;
    const coerced: Record<string, unknown> = {};
    let count = 0;
    for (const name in given) {
      const field = fields.get(name);
      if (field === undefined) fault(faults);
      else if (given[name] !== undefined) {
        coerced[name] = coercerOf(field.type)(given[name], faults);
        count += 1;
        if (type.isOneOf && coerced[name] === null) fault(faults);
      }
    }
    for (const { name, defaultValue } of expected) {
      if (given[name] !== undefined) continue;
      if (defaultValue === undefined) fault(faults);
      else coerced[name] = defaultValue;
    }
    if (type.isOneOf && count !== 1) fault(faults);
    return coerced;
  };
}

const takeIf =
  (isTaken: (value: unknown) => boolean): Coerce =>
  (value, faults) =>
    isTaken(value) ? value : fault(faults);

/** The built-in scalars of GraphQL. Their own functions throw an error for each fault, which takes ten microseconds. */
const builtIn: Readonly<Record<string, Coerce>> = {
  String: takeIf((value) => typeof value === 'string'),
  Boolean: takeIf((value) => typeof value === 'boolean'),
  Int: takeIf((value) => Number.isInteger(value) && (value as number) === ((value as number) | 0)),
  Float: takeIf((value) => Number.isFinite(value)),
  ID: (value, faults) =>
    typeof value === 'string' ? value : Number.isInteger(value) ? String(value as number) : fault(faults),
};

function scalar(type: GraphQLScalarType): Coerce {
  return (value, faults) => {
    try {
      const coerced: unknown = type.parseValue(value);
      return coerced === undefined ? fault(faults) : coerced;
    } catch {
      return fault(faults);
    }
  };
}
