import { getDirectiveValues, GraphQLIncludeDirective, GraphQLSkipDirective } from 'graphql';
import type { FieldNode, FragmentDefinitionNode, GraphQLResolveInfo, SelectionSetNode } from 'graphql';

const known = new WeakMap<FieldNode, Map<string, readonly string[]>>();

/**
 * Names of the fields that a query asks for at `path` below the field being resolved, in document
 * order. Directives are not judged: a field that is skipped may be named. Compiled documents keep
 * their nodes, so the walk happens once per document.
 */
export function requestedFields(info: GraphQLResolveInfo, path: readonly string[] = []): readonly string[] {
  const [first] = info.fieldNodes;
  if (first === undefined) return [];
  let byPath = known.get(first);
  if (byPath === undefined) known.set(first, (byPath = new Map()));
  const key = path.join('.');
  let names = byPath.get(key);
  if (names === undefined) {
    const sets = info.fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    names = namesIn(
      path.reduce((inner, step) => setsOf(step, inner, info.fragments), sets),
      info.fragments,
    );
    byPath.set(key, names);
  }
  return names;
}

/** Whether a query asks for the field `name` directly below the one being resolved, directives considered. */
export function isRequested(info: GraphQLResolveInfo, name: string): boolean {
  const sets = info.fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? []);
  return fieldsIn(sets, info.fragments).some((field) => {
    if (field.name.value !== name) return false;
    const include = getDirectiveValues(GraphQLIncludeDirective, field, info.variableValues);
    const skip = getDirectiveValues(GraphQLSkipDirective, field, info.variableValues);
    return include?.['if'] !== false && skip?.['if'] !== true;
  });
}

type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

function fieldsIn(sets: readonly SelectionSetNode[], fragments: Fragments): FieldNode[] {
  return sets.flatMap(({ selections }) =>
    selections.flatMap((selection) => {
      if (selection.kind === 'Field') return [selection];
      if (selection.kind === 'InlineFragment') return fieldsIn([selection.selectionSet], fragments);
      const fragment = fragments[selection.name.value];
      return fragment === undefined ? [] : fieldsIn([fragment.selectionSet], fragments);
    }),
  );
}

function setsOf(name: string, sets: readonly SelectionSetNode[], fragments: Fragments): SelectionSetNode[] {
  return fieldsIn(sets, fragments).flatMap((field) =>
    field.name.value === name && field.selectionSet !== undefined ? [field.selectionSet] : [],
  );
}

function namesIn(sets: readonly SelectionSetNode[], fragments: Fragments): readonly string[] {
  return [...new Set(fieldsIn(sets, fragments).map((field) => field.name.value))];
}
