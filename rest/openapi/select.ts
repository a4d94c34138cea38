import { isListType, isNonNullType, isObjectType, isUnionType, Kind, parse } from 'graphql';
import type { FieldNode, FragmentDefinitionNode, GraphQLOutputType, GraphQLSchema, SelectionSetNode } from 'graphql';
import type { Json } from './json-object.ts';

/** The fragment with the fields that a request asks for; any of them may be absent. */
const requested = 'RequestedFields';

/** Fields that replies omit when they carry no information. */
const unsaid: readonly string[] = ['is_dry_run'];

/** A selected field. */
export type Selected = Readonly<{
  field: FieldNode;
  type: GraphQLOutputType;
  optional: boolean;
  /** Its description and deprecation. */
  about: Json;
}>;
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** What a document selects at one path. */
type Place = Readonly<{
  type: GraphQLOutputType;
  selection: SelectionSetNode | undefined;
  fragments: Fragments;
}>;

/**
 * Follows response names into a document; `on Type` steps into a member of a union. @throws Error if the path leads nowhere.
 */
export function locate(schema: GraphQLSchema, document: string, path: readonly string[]): Place {
  const { definitions } = parse(document);
  const fragments: Fragments = new Map(
    definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION).map((node) => [node.name.value, node]),
  );
  const operation = definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (operation === undefined) throw new Error('A document without an operation');
  let type: GraphQLOutputType | undefined = schema.getRootType(operation.operation) ?? undefined;
  let selection: SelectionSetNode | undefined = operation.selectionSet;
  for (const step of path) {
    const inner = innerType(type);
    if (step.startsWith('on ')) {
      const member = schema.getType(step.slice(3));
      type = isUnionType(inner) && isObjectType(member) ? member : undefined;
    } else {
      const fields = selectedFields(schema, isObjectType(inner) ? inner.name : '', selection, fragments);
      const found = fields.find(({ field }) => responseName(field) === step);
      [type, selection] = [found?.type, found?.field.selectionSet];
    }
  }
  if (type === undefined) throw new Error(`The document selects nothing at ${path.join('.')}`);
  return { type, selection, fragments };
}

function innerType(type: GraphQLOutputType | undefined): unknown {
  return isNonNullType(type) || isListType(type) ? innerType(type.ofType as GraphQLOutputType) : type;
}

export function responseName(field: FieldNode): string {
  return (field.alias ?? field.name).value;
}

/** The fields selected from an object type, including those in fragments and in the type's part of a union. */
export function selectedFields(
  schema: GraphQLSchema,
  typeName: string,
  selection: SelectionSetNode | undefined,
  fragments: Fragments,
  optional = false,
): Selected[] {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) return [];
  return (selection?.selections ?? []).flatMap((node): Selected[] => {
    if (node.kind === Kind.FIELD) {
      const definition = type.getFields()[node.name.value];
      if (definition === undefined) return [];
      const isOptional = optional || (node.directives?.length ?? 0) > 0 || unsaid.includes(responseName(node));
      const { type: fieldType, description, deprecationReason } = definition;
      const about = { description: inRestNames(description ?? ''), ...(deprecationReason && { deprecated: true }) };
      return [{ field: node, type: fieldType, optional: isOptional, about }];
    }
    const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
    const condition = fragment?.typeCondition?.name.value ?? typeName;
    const isOther = condition !== typeName && !isUnionType(schema.getType(condition));
    if (fragment === undefined || isOther) return [];
    const isRequested = node.kind === Kind.FRAGMENT_SPREAD && node.name.value === requested;
    return selectedFields(schema, typeName, fragment.selectionSet, fragments, optional || isRequested);
  });
}

/** A description from the schema with REST names: `numBad` becomes `num_bad`. */
function inRestNames(description: string): string {
  return description.replaceAll(/`[a-z]+(?:[A-Z][a-z]*)+`/g, (name) =>
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
}
