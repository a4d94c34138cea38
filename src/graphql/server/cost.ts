import { getNamedType, getNullableType, GraphQLInt, isCompositeType, isListType, isObjectType } from 'graphql';
import { isUnionType, Kind } from 'graphql';
import { SchemaMetaFieldDef, TypeMetaFieldDef } from 'graphql';
import type {
  FieldNode,
  GraphQLArgument,
  GraphQLField,
  GraphQLNamedType,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';
import type { SelectionNode, SelectionSetNode, ValueNode } from 'graphql';
import { conditionsOf } from '../schema/directives.ts';
import { costs } from './limits.ts';
import type { FragmentsByName } from './measure-document.ts';

type Variables = Readonly<Record<string, unknown>>;

/** A known number, or one that depends on the variables of a request. */
export type Amount = number | ((variables: Variables) => number);

type Field = GraphQLField<unknown, unknown>;

/** The defaults of variables. */
type Defaults = ReadonlyMap<string, ValueNode | undefined>;

/**
 * Estimates the maximum number of values in the answer to an operation: a field is one value, an element of a list one more.
 * Only what depends on variables is left to compute.
 */
export function costOf(schema: GraphQLSchema, operation: OperationDefinitionNode, fragments: FragmentsByName): Amount {
  const variableDefaults = new Map<string, ValueNode | undefined>();
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    variableDefaults.set(variable.name.value, defaultValue);
  }

  function costOfSet({ selections }: SelectionSetNode, type: GraphQLNamedType | undefined, page?: Amount): Amount {
    return sum(selections.map((selection) => costOfSelection(selection, type, page)));
  }

  function costOfSelection(selection: SelectionNode, type: GraphQLNamedType | undefined, page?: Amount): Amount {
    if (selection.kind === Kind.FIELD) return costOfField(selection, type, page);
    const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
    if (fragment === undefined) return 0;
    const condition = fragment.typeCondition?.name.value;
    return costOfSet(fragment.selectionSet, condition === undefined ? type : schema.getType(condition), page);
  }

  function costOfField(field: FieldNode, parent: GraphQLNamedType | undefined, page?: Amount): Amount {
    return whereIncluded(field, costOfValue(field, parent, page));
  }

  function costOfValue(field: FieldNode, parent: GraphQLNamedType | undefined, page?: Amount): Amount {
    if (field.selectionSet === undefined) return 1;
    const definition = definitionOf(schema, parent, field.name.value);
    const own = definition && pageSize(field, definition, variableDefaults);
    const element = sum([1, costOfSet(field.selectionSet, definition && getNamedType(definition.type), own)]);
    if (definition === undefined || !isListType(getNullableType(definition.type))) return element;
    const size = own ?? (pageLists.includes(field.name.value) ? page : undefined) ?? costs.assumedLength;
    return product(size, element);
  }

  return costOfSet(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined);
}

/** Returns 0 for a field that the variables of a request leave out. */
function whereIncluded(field: FieldNode, amount: Amount): Amount {
  return conditionsOf(field).reduce((left, { given, leavesOut }) => {
    if (typeof given === 'boolean') return left;
    return (variables) => (variables[given.variable] === leavesOut ? 0 : valueOf(left, variables));
  }, amount);
}

function definitionOf(schema: GraphQLSchema, parent: GraphQLNamedType | undefined, name: string): Field | undefined {
  if (parent === undefined || !isCompositeType(parent) || isUnionType(parent)) return undefined;
  const own = parent.getFields()[name];
  if (own !== undefined || !isObjectType(parent) || parent !== schema.getQueryType()) return own;
  return [SchemaMetaFieldDef, TypeMetaFieldDef].find((field) => field.name === name);
}

const pageLists: readonly string[] = costs.pageLists;
const pageArguments: readonly string[] = costs.pageArguments;

/**
 * Returns the page size of a field that has pages. If there are several such arguments, the one that is given counts.
 */
function pageSize(field: FieldNode, definition: Field, defaults: Defaults): Amount | undefined {
  if (isListType(getNullableType(definition.type))) {
    const values = definition.args.find(({ name }) => name === costs.valuesArgument);
    if (values !== undefined) return numberOf(values, field, defaults) ?? costs.assumedLength;
  }
  const sizes = definition.args.filter(
    ({ name, type }) => pageArguments.includes(name) && getNamedType(type) === GraphQLInt,
  );
  if (sizes.length === 0) return undefined;
  const given = sizes.flatMap((size) => numberOf(size, field, defaults) ?? []);
  const usual = sizes.map(({ defaultValue }) => defaultValue).find((value) => typeof value === 'number');
  return largest(given) ?? usual ?? costs.usualPage;
}

/** Returns the number given for an argument: its value, or the length of a list; undefined if nothing or null is given. */
function numberOf({ name, defaultValue }: GraphQLArgument, field: FieldNode, defaults: Defaults): Amount | undefined {
  const value = field.arguments?.find((each) => each.name.value === name)?.value;
  if (value?.kind !== Kind.VARIABLE) return literal(value);
  const variable = value.name.value;
  const usual = typeof defaultValue === 'number' ? defaultValue : costs.usualPage;
  const otherwise = literal(defaults.get(variable)) ?? usual;
  return (variables) => {
    const given = variables[variable];
    if (Array.isArray(given)) return given.length;
    return typeof given === 'number' && given >= 0 ? given : otherwise;
  };
}

function literal(value: ValueNode | undefined): number | undefined {
  if (value?.kind === Kind.LIST) return value.values.length;
  return value?.kind === Kind.INT ? Math.max(0, Number(value.value)) : undefined;
}

function largest(amounts: readonly Amount[]): Amount | undefined {
  if (amounts.length < 2) return amounts[0];
  return (variables) => Math.max(...amounts.map((amount) => valueOf(amount, variables)));
}

function sum(amounts: readonly Amount[]): Amount {
  const fixed = amounts.reduce<number>((total, amount) => (typeof amount === 'number' ? total + amount : total), 0);
  const open = amounts.filter((amount) => typeof amount === 'function');
  if (open.length === 0) return fixed;
  return (variables) => open.reduce((total, amount) => total + amount(variables), fixed);
}

function product(size: Amount, element: Amount): Amount {
  if (typeof size === 'number' && typeof element === 'number') return size * element;
  return (variables) => valueOf(size, variables) * valueOf(element, variables);
}

function valueOf(amount: Amount, variables: Variables): number {
  return typeof amount === 'number' ? amount : amount(variables);
}
