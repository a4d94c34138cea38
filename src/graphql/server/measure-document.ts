import { Kind } from 'graphql';
import type { FieldNode, FragmentDefinitionNode, OperationDefinitionNode, SelectionSetNode } from 'graphql';
import { checkDocumentLimit } from './limits.ts';

export type FragmentsByName = ReadonlyMap<string, FragmentDefinitionNode>;

/** Fields whose lists lead from types to types, so that cyclic requests multiply the answer. */
const introspectionLists: readonly string[] = ['fields', 'interfaces', 'possibleTypes', 'inputFields'];

/** The counts of an operation. */
export type DocumentShape = Readonly<{ selections: number; rootFields: number; aliases: number }>;

/** State of a walk through a document. */
type Place = Readonly<{ depth: number; isIntrospection: boolean; lists: number }>;

/**
 * Checks an operation against the limits of its shape, and returns the counts. Its fragments must not form cycles.
 *
 * @throws GraphQLError for the first limit that it exceeds.
 */
export function checkShape(operation: OperationDefinitionNode, fragments: FragmentsByName): DocumentShape {
  // Checked first, counting each fragment only once: the walk below enters every spread.
  const all = countSelections(operation.selectionSet, fragments);
  checkDocumentLimit('selections', all, operation);
  const counts = { rootFields: 0, aliases: 0 };

  function enter(field: FieldNode, place: Place): void {
    const name = field.name.value;
    if (place.depth === 0) checkDocumentLimit('rootFields', (counts.rootFields += 1), field);
    if (field.alias !== undefined) checkDocumentLimit('aliases', (counts.aliases += 1), field);
    const isIntrospection = place.isIntrospection || name === '__schema' || name === '__type';
    const lists = place.lists + (isIntrospection && introspectionLists.includes(name) ? 1 : 0);
    const depth = place.depth + 1;
    checkDocumentLimit(isIntrospection ? 'introspectionDepth' : 'depth', depth, field);
    checkDocumentLimit('introspectionLists', lists, field);
    if (field.selectionSet !== undefined) walk(field.selectionSet, { depth, isIntrospection, lists });
  }

  function walk({ selections }: SelectionSetNode, place: Place): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) enter(selection, place);
      else if (selection.kind === Kind.INLINE_FRAGMENT) walk(selection.selectionSet, place);
      else {
        const fragment = fragments.get(selection.name.value);
        if (fragment !== undefined) walk(fragment.selectionSet, place);
      }
    }
  }

  walk(operation.selectionSet, { depth: 0, isIntrospection: false, lists: 0 });
  return { selections: all, ...counts };
}

/** Counts the fields and fragments of a selection, including everything that it spreads. */
function countSelections(
  set: SelectionSetNode,
  fragments: FragmentsByName,
  known: Map<string, number> = new Map(),
): number {
  return set.selections.reduce((sum, selection) => {
    if (selection.kind !== Kind.FRAGMENT_SPREAD) {
      return sum + 1 + (selection.selectionSet ? countSelections(selection.selectionSet, fragments, known) : 0);
    }
    const name = selection.name.value;
    const fragment = fragments.get(name);
    if (fragment !== undefined && !known.has(name)) {
      known.set(name, countSelections(fragment.selectionSet, fragments, known));
    }
    return sum + 1 + (known.get(name) ?? 0);
  }, 0);
}
