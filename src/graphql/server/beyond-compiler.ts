import { isEnumType, isSpecifiedScalarType, Kind } from 'graphql';
import type { GraphQLSchema, OperationDefinitionNode, SelectionSetNode } from 'graphql';
import type { FragmentsByName } from './measure-document.ts';

/** Whether the compiler's answer to an operation would differ from what GraphQL requires; found by comparing the two. */
export function isBeyondCompiler(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: FragmentsByName,
): boolean {
  return hasStrangeDefault(schema, operation) || mixesConditions(operation, fragments);
}

/**
 * The compiler treats a variable such as `$limit: Int! = 50` as required, and passes defaults of our own scalars on as plain
 * JSON.
 */
function hasStrangeDefault(schema: GraphQLSchema, { variableDefinitions = [] }: OperationDefinitionNode): boolean {
  return variableDefinitions.some(({ type, defaultValue }) => {
    if (defaultValue === undefined) return false;
    if (type.kind !== Kind.NAMED_TYPE) return true;
    const named = schema.getType(type.name.value);
    return named === undefined || !(isEnumType(named) || isSpecifiedScalarType(named));
  });
}

/**
 * `@skip` and `@include` on more than a single value, where selections are merged or a fragment is spread twice: the
 * compiler keeps conditions with the nodes of the document, so a condition in one place adds or removes fields in another.
 */
function mixesConditions(operation: OperationDefinitionNode, fragments: FragmentsByName): boolean {
  let isConditional = false;
  let isMerged = false;
  const spread = new Set<string>();

  function walk({ selections }: SelectionSetNode, objects: Set<string>): void {
    for (const selection of selections) {
      const isValue = selection.kind === Kind.FIELD && selection.selectionSet === undefined;
      isConditional ||= !isValue && (selection.directives ?? []).length > 0;
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        walk(selection.selectionSet, objects);
      } else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const name = selection.name.value;
        const fragment = fragments.get(name);
        isMerged ||= spread.has(name);
        spread.add(name);
        if (fragment !== undefined) walk(fragment.selectionSet, objects);
      } else if (selection.selectionSet !== undefined) {
        const name = (selection.alias ?? selection.name).value;
        isMerged ||= objects.has(name);
        objects.add(name);
        walk(selection.selectionSet, new Set());
      }
    }
  }

  walk(operation.selectionSet, new Set());
  return isConditional && isMerged;
}
