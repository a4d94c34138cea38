import {
  coerceInputValue,
  getVariableValues,
  GraphQLError,
  GraphQLScalarType,
  Kind,
  typeFromAST,
  valueFromAST,
  visit,
} from 'graphql';
import { isInputObjectType, isListType, isNonNullType } from 'graphql';
import type { DocumentNode, ExecutionResult, GraphQLInputType, GraphQLSchema } from 'graphql';
import type { OperationDefinitionNode, VariableDefinitionNode } from 'graphql';
import { TimeSlice } from '../../lib/time-slice.ts';
import { describeValue } from '../schema/scalars.ts';
import { coercerOf } from './coerce-value.ts';
import type { FaultCount } from './coerce-value.ts';
import { maxErrors, maxListLength } from './limits.ts';

type Variables = Readonly<Record<string, unknown>>;
type Variable = Readonly<{ definition: VariableDefinitionNode; name: string; type: GraphQLInputType }>;

/** The variables for the compiled document, or the answer to invalid variables. */
type CoercedVariables = Readonly<{ variables: Variables; refused?: ExecutionResult }>;

type CoerceVariables = (
  variables: Variables,
  tenantId: number | undefined,
) => Promise<CoercedVariables> | CoercedVariables;

/**
 * Returns a function that coerces the variables that are lists or objects, in time slices and reading only the given fields:
 * the compiler's own code reads every field of each of 10 000 elements at once. The first hundred faults are described, the
 * others counted.
 */
export function createVariableCoercion(schema: GraphQLSchema, operation: OperationDefinitionNode): CoerceVariables {
  const composite = (operation.variableDefinitions ?? []).flatMap((definition): Variable[] => {
    const type = typeOf(schema, definition);
    return isComposite(type) ? [{ definition, name: definition.variable.name.value, type }] : [];
  });
  if (composite.length === 0) return (variables) => ({ variables });
  const compositeDefinitions = new Set(composite.map(({ definition }) => definition));
  const others = operation.variableDefinitions?.filter((definition) => !compositeDefinitions.has(definition)) ?? [];
  const checkOthers = (variables: Variables) => getVariableValues(schema, others, variables).errors ?? [];
  return (variables, tenantId) => coerceAll({ composite, checkOthers }, variables, new TimeSlice(tenantId));
}

/**
 * Returns a schema and a document that, once compiled, accept the values coerced by `createVariableCoercion` as they are.
 */
export function acceptCoerced(
  schema: GraphQLSchema,
  document: DocumentNode,
): Readonly<{ schema: GraphQLSchema; document: DocumentNode }> {
  const type = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: coerced.name } } as const;
  const changed = visit(document, {
    VariableDefinition(definition) {
      return isComposite(typeOf(schema, definition)) ? { ...definition, type, defaultValue: undefined } : undefined;
    },
  });
  return changed === document ? { schema, document } : { schema: withCoerced(schema), document: changed };
}

/** A type that takes any value; it is not part of the published schema. */
const coerced = new GraphQLScalarType({ name: 'CoercedVariable', parseValue: (value) => value });

function withCoerced(schema: GraphQLSchema): GraphQLSchema {
  const getType = (name: string) => (name === coerced.name ? coerced : schema.getType(name));
  return Object.create(schema, { getType: { value: getType } }) as GraphQLSchema;
}

function typeOf(schema: GraphQLSchema, { type }: VariableDefinitionNode): GraphQLInputType {
  return typeFromAST(schema, type as Parameters<typeof typeFromAST>[1]) as GraphQLInputType;
}

function isComposite(type: GraphQLInputType): boolean {
  const inner = isNonNullType(type) ? type.ofType : type;
  return isListType(inner) || isInputObjectType(inner);
}

type Declared = Readonly<{
  composite: readonly Variable[];
  /**
   * Returns the errors of the other variables, which the executor does not report together with those of lists and objects.
   */
  checkOthers: (variables: Variables) => readonly GraphQLError[];
}>;

async function coerceAll(
  { composite, checkOthers }: Declared,
  variables: Variables,
  slice: TimeSlice,
): Promise<CoercedVariables> {
  const changed: Record<string, unknown> = { ...variables };
  const errors: GraphQLError[] = [];
  const faults: FaultCount = { count: 0 };
  for (const variable of composite) {
    const { definition, name, type } = variable;
    const value = variables[name];
    if (value === undefined && definition.defaultValue !== undefined) {
      changed[name] = valueFromAST(definition.defaultValue, type);
    } else if (value === undefined || value === null) {
      if (!isNonNullType(type)) continue;
      faults.count += 1;
      errors.push(missing(variable, value));
    } else if (Array.isArray(value) && value.length > maxListLength) {
      faults.count += 1;
      errors.push(tooLong(variable, value.length));
    } else changed[name] = await coerceOne(variable, value, { errors, faults, slice });
  }
  if (faults.count === 0) return { variables: changed };
  const unlisted = faults.count - errors.length;
  errors.push(...checkOthers(variables));
  return { variables, refused: unlisted > 0 ? { errors, extensions: { errorsNotListed: unlisted } } : { errors } };
}

function missing({ definition, name, type }: Variable, value: null | undefined): GraphQLError {
  const fault =
    value === null
      ? `non-null type "${type.toString()}" must not be null`
      : `required type "${type.toString()}" was not provided`;
  return new GraphQLError(`Variable "$${name}" of ${fault}.`, { nodes: definition });
}

/** Refused at once: resolvers handle a list in one go, before its own limit is checked. */
function tooLong({ definition, name }: Variable, length: number): GraphQLError {
  return new GraphQLError(`${name} has ${length} elements; a list may have ${maxListLength}`, {
    nodes: definition,
    extensions: { code: 'invalid_argument', argument: name },
  });
}

type State = Readonly<{ errors: GraphQLError[]; faults: FaultCount; slice: TimeSlice }>;

async function coerceOne(variable: Variable, value: unknown, { errors, faults, slice }: State): Promise<unknown> {
  const type = isNonNullType(variable.type) ? variable.type.ofType : variable.type;
  const isList = isListType(type) && Array.isArray(value);
  const elementType = isList ? (type.ofType as GraphQLInputType) : type;
  const coerce = coercerOf(elementType);
  const found: unknown[] = [];
  for (const [index, element] of (isList ? (value as readonly unknown[]) : [value]).entries()) {
    const before = faults.count;
    found.push(coerce(element, faults));
    if (faults.count > before) describe(errors, variable, isList ? [index] : [], element, elementType);
    if (slice.isOver) await slice.pause();
  }
  return isList ? found : found[0];
}

/** Thrown to stop describing faults when there are enough. */
const enough = new Error('enough errors');

function describe(
  errors: GraphQLError[],
  { definition, name }: Variable,
  path: readonly (string | number)[],
  value: unknown,
  type: GraphQLInputType,
): void {
  if (errors.length >= maxErrors) return;
  try {
    coerceInputValue(value, type, (inner, invalid, { message }) => {
      const at = [...path, ...inner].map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
      const place = at === '' ? '' : ` at "${name}${at}"`;
      const text = `Variable "$${name}" got invalid value ${describeValue(invalid)}${place}; ${message}`;
      errors.push(new GraphQLError(text, { nodes: definition }));
      if (errors.length >= maxErrors) throw enough;
    });
  } catch (error) {
    if (error !== enough) throw error;
  }
}
