import { GraphQLError, Kind, OperationTypeNode } from 'graphql';
import type { OperationDefinitionNode, SelectionNode, SelectionSetNode } from 'graphql';
import { isCondition } from '../schema/directives.ts';
import type { FragmentsByName } from './measure-document.ts';

/**
 * Returns the errors of conditions on the root field of a subscription, which the GraphQL specification forbids
 * (Single Root Field). graphql-js 16 permits them: without its field, a subscription fails with a TypeError, and a
 * condition with a variable makes validation throw. Fragments must not form cycles.
 */
export function conditionsOnRoot(operation: OperationDefinitionNode, fragments: FragmentsByName): GraphQLError[] {
  if (operation.operation !== OperationTypeNode.SUBSCRIPTION) return [];
  const found: GraphQLError[] = [];
  const seen = new Set<SelectionSetNode>();

  function walk(set: SelectionSetNode): void {
    if (seen.has(set)) return;
    seen.add(set);
    for (const selection of set.selections) {
      for (const node of selection.directives ?? []) {
        if (!isCondition(node.name.value)) continue;
        found.push(
          new GraphQLError(`The root field of a subscription cannot have @${node.name.value}`, { nodes: node }),
        );
      }
      const inner = innerOf(selection, fragments);
      if (inner !== undefined) walk(inner);
    }
  }

  walk(operation.selectionSet);
  return found;
}

/** The selections of a fragment; undefined for a field, or for a fragment that does not exist. */
function innerOf(selection: SelectionNode, fragments: FragmentsByName): SelectionSetNode | undefined {
  if (selection.kind === Kind.INLINE_FRAGMENT) return selection.selectionSet;
  return selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value)?.selectionSet : undefined;
}
