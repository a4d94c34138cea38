import { getNamedType, getNullableType, isCompositeType, isListType, isObjectType, isUnionType, Kind } from 'graphql';
import { SchemaMetaFieldDef, TypeMetaFieldDef } from 'graphql';
import type { FieldNode, GraphQLField, GraphQLNamedType, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { SelectionNode, SelectionSetNode, ValueNode } from 'graphql';
import { costs } from './limits.ts';
import type { FragmentsByName } from './measure-document.ts';

type Variables = Readonly<Record<string, unknown>>;

/** A number that is known, or one that hangs on the variables of a request. */
export type Amount = number | ((variables: Variables) => number);

type Field = GraphQLField<unknown, unknown>;

/**
 * Maximum number of values in the answer to an operation, as far as it can be estimated: a field is
 * one value, an element of a list one more. Only what hangs on variables is left to compute.
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
    if (field.selectionSet === undefined) return 1;
    const definition = definitionOf(schema, parent, field.name.value);
    const own = definition && pageSize(field, definition, variableDefaults);
    const element = sum([1, costOfSet(field.selectionSet, definition && getNamedType(definition.type), own)]);
    if (definition === undefined || !isListType(getNullableType(definition.type))) return element;
    const size = own ?? (field.name.value === costs.pageList ? page : undefined) ?? costs.assumedLength;
    return product(size, element);
  }

  return costOfSet(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined);
}

function definitionOf(schema: GraphQLSchema, parent: GraphQLNamedType | undefined, name: string): Field | undefined {
  if (parent === undefined || !isCompositeType(parent) || isUnionType(parent)) return undefined;
  const own = parent.getFields()[name];
  if (own !== undefined || !isObjectType(parent) || parent !== schema.getQueryType()) return own;
  return [SchemaMetaFieldDef, TypeMetaFieldDef].find((field) => field.name === name);
}

/** How many elements a field's page has, where it is one. */
function pageSize(
  field: FieldNode,
  definition: Field,
  variableDefaults: ReadonlyMap<string, ValueNode | undefined>,
): Amount | undefined {
  const argument = definition.args.find(({ name }) => name === costs.pageArgument);
  if (argument === undefined) return undefined;
  const usual = typeof argument.defaultValue === 'number' ? argument.defaultValue : costs.assumedLength;
  const value = field.arguments?.find(({ name }) => name.value === costs.pageArgument)?.value;
  if (value?.kind !== Kind.VARIABLE) return literal(value) ?? usual;
  const name = value.name.value;
  const otherwise = literal(variableDefaults.get(name)) ?? usual;
  return (variables) => {
    const given = variables[name];
    return typeof given === 'number' && given >= 0 ? given : otherwise;
  };
}

function literal(value: ValueNode | undefined): number | undefined {
  return value?.kind === Kind.INT ? Math.max(0, Number(value.value)) : undefined;
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
