import { coerceInputValue, GraphQLError, isEnumType, isInputObjectType, isListType, isNonNullType } from 'graphql';
import { typeFromAST } from 'graphql';
import type { ExecutionResult, GraphQLInputObjectType, GraphQLInputType, GraphQLSchema } from 'graphql';
import type { OperationDefinitionNode, VariableDefinitionNode } from 'graphql';
import { TimeSlice } from '../../lib/time-slice.ts';
import { maxErrors } from './limits.ts';
import { describeValue } from '../schema/scalars.ts';

type Variable = Readonly<{ definition: VariableDefinitionNode; name: string; type: GraphQLInputType }>;

/** The refusal of variables with more faults than a reply lists; null where the executor may judge them. */
export type CheckVariables = (
  variables: Readonly<Record<string, unknown>>,
  tenantId: number | undefined,
) => Promise<ExecutionResult | null> | null;

/**
 * The executor describes each wrong value, at ten microseconds and some hundred bytes for each: a million of them would
 * hold the event loop for ten seconds. So they are counted first, where a variable is a list or an object, and only the
 * first hundred are described.
 */
export function createVariableCheck(schema: GraphQLSchema, operation: OperationDefinitionNode): CheckVariables {
  const composite = (operation.variableDefinitions ?? []).flatMap((definition): Variable[] => {
    const type = typeFromAST(schema, definition.type as Parameters<typeof typeFromAST>[1]) as GraphQLInputType;
    const inner = isNonNullType(type) ? type.ofType : type;
    return isListType(inner) || isInputObjectType(inner)
      ? [{ definition, name: definition.variable.name.value, type: inner }]
      : [];
  });
  if (composite.length === 0) return () => null;
  return (variables, tenantId) => findFaults(composite, variables, new TimeSlice(tenantId));
}

async function findFaults(
  composite: readonly Variable[],
  variables: Readonly<Record<string, unknown>>,
  slice: TimeSlice,
): Promise<ExecutionResult | null> {
  const errors: GraphQLError[] = [];
  let count = 0;
  for (const variable of composite) {
    const value = variables[variable.name];
    const elements = isListType(variable.type) && Array.isArray(value) ? value : null;
    const type = elements === null ? variable.type : (variable.type as { ofType: GraphQLInputType }).ofType;
    for (const [index, element] of (elements ?? [value]).entries()) {
      const faults = countFaults(element, type);
      if (faults > 0) describe(errors, variable, elements === null ? [] : [index], element, type);
      count += faults;
      if (slice.isOver) await slice.pause();
    }
  }
  if (count <= maxErrors) return null;
  return { errors, extensions: { errorsNotListed: Math.max(0, count - errors.length) } };
}

/** Leaves the describing of faults when there are enough. */
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

/** How much of a value its type does not take. Scalars of our own are left to themselves: none are in lists. */
function countFaults(value: unknown, type: GraphQLInputType): number {
  if (isNonNullType(type)) return value === null || value === undefined ? 1 : countFaults(value, type.ofType);
  if (value === null || value === undefined) return 0;
  if (isListType(type)) {
    if (!Array.isArray(value)) return countFaults(value, type.ofType);
    let count = 0;
    for (const each of value) count += countFaults(each, type.ofType);
    return count;
  }
  if (isInputObjectType(type)) return countFaultsOfObject(value, type);
  if (isEnumType(type)) return typeof value === 'string' && type.getValue(value) !== undefined ? 0 : 1;
  return takes[type.name]?.(value) === false ? 1 : 0;
}

function countFaultsOfObject(value: unknown, type: GraphQLInputObjectType): number {
  if (typeof value !== 'object' || Array.isArray(value)) return 1;
  const fields = type.getFields();
  const given = value as Record<string, unknown>;
  let count = 0;
  for (const name in given) if (fields[name] === undefined) count += 1;
  for (const name in fields) {
    const field = fields[name];
    if (field === undefined || (given[name] === undefined && field.defaultValue !== undefined)) continue;
    count += countFaults(given[name], field.type);
  }
  return count;
}

/** What the scalars of GraphQL take. */
const takes: Readonly<Record<string, (value: unknown) => boolean>> = {
  String: (value) => typeof value === 'string',
  Boolean: (value) => typeof value === 'boolean',
  Int: (value) => Number.isInteger(value) && Math.abs(value as number) <= 2 ** 31,
  Float: (value) => Number.isFinite(value),
  ID: (value) => typeof value === 'string' || Number.isInteger(value),
};
