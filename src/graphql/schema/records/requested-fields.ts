import type { FieldNode, FragmentDefinitionNode, GraphQLResolveInfo, SelectionSetNode } from 'graphql';
import { conditionsOf } from '../directives.ts';
import type { DirectiveCondition } from '../directives.ts';

/** The fields that a query requests at some paths. */
type Requested = Readonly<{
  /** Names of the fields, in document order. */
  names: readonly string[];
  /** How often a field is requested, for fields that are requested several times under different names. */
  repeats: ReadonlyMap<string, number>;
}>;

const known = new WeakMap<FieldNode, Map<string, Requested>>();
const nothing: Requested = { names: [], repeats: new Map() };

/**
 * Returns the fields that a query requests at these paths below the field being resolved. Ignores directives, so a
 * skipped field may be listed. The nodes of compiled documents stay the same, so the walk happens once per document.
 */
export function requested(info: GraphQLResolveInfo, ...paths: readonly (readonly string[])[]): Requested {
  const [first] = info.fieldNodes;
  if (first === undefined) return nothing;
  let byPath = known.get(first);
  if (byPath === undefined) known.set(first, (byPath = new Map()));
  const key = paths.map((path) => path.join('.')).join(' ');
  let found = byPath.get(key);
  if (found === undefined) {
    const sets = info.fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const inner = paths.flatMap((path) => path.reduce((outer, step) => setsOf(step, outer, info.fragments), sets));
    byPath.set(key, (found = countFields(inner, info.fragments)));
  }
  return found;
}

/** Returns the names of the fields that a query requests of the field being resolved, as `requested` does. */
export function requestedFields(info: GraphQLResolveInfo): readonly string[] {
  return requested(info, []).names;
}

/** The conditions that decide whether a field is left out. */
type FieldConditions = readonly DirectiveCondition[];

const namedBelow = new WeakMap<FieldNode, Map<string, readonly FieldConditions[]>>();

/** Whether a query requests the field `name` directly below the one being resolved, taking directives into account. */
export function isRequested(info: GraphQLResolveInfo, name: string): boolean {
  const valueOf = ({ given }: DirectiveCondition) =>
    typeof given === 'boolean' ? given : info.variableValues[given.variable];
  return fieldsBelow(info, name).some((conditions) =>
    conditions.every((condition) => valueOf(condition) !== condition.leavesOut),
  );
}

/** Returns the fields of that name directly below, with their conditions; found once per document, as in `requested`. */
function fieldsBelow({ fieldNodes, fragments }: GraphQLResolveInfo, name: string): readonly FieldConditions[] {
  const [first] = fieldNodes;
  if (first === undefined) return [];
  let byName = namedBelow.get(first);
  if (byName === undefined) namedBelow.set(first, (byName = new Map()));
  let found = byName.get(name);
  if (found === undefined) {
    const sets = fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const fields = fieldsIn(sets, fragments).filter((field) => field.name.value === name);
    byName.set(name, (found = fields.map(conditionsOf)));
  }
  return found;
}

type FragmentsByName = Readonly<Record<string, FragmentDefinitionNode>>;

function fieldsIn(sets: readonly SelectionSetNode[], fragments: FragmentsByName): FieldNode[] {
  return sets.flatMap(({ selections }) =>
    selections.flatMap((selection) => {
      if (selection.kind === 'Field') return [selection];
      if (selection.kind === 'InlineFragment') return fieldsIn([selection.selectionSet], fragments);
      const fragment = fragments[selection.name.value];
      return fragment === undefined ? [] : fieldsIn([fragment.selectionSet], fragments);
    }),
  );
}

function setsOf(name: string, sets: readonly SelectionSetNode[], fragments: FragmentsByName): SelectionSetNode[] {
  return fieldsIn(sets, fragments).flatMap((field) =>
    field.name.value === name && field.selectionSet !== undefined ? [field.selectionSet] : [],
  );
}

function countFields(sets: readonly SelectionSetNode[], fragments: FragmentsByName): Requested {
  const counts = new Map<string, number>();
  for (const { name } of fieldsIn(sets, fragments)) counts.set(name.value, (counts.get(name.value) ?? 0) + 1);
  return { names: [...counts.keys()], repeats: new Map([...counts].filter(([, count]) => count > 1)) };
}
