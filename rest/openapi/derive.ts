import { isEnumType, isListType, isNonNullType, isObjectType } from 'graphql';
import type { GraphQLOutputType, GraphQLSchema, SelectionSetNode } from 'graphql';
import { enumSchema } from './enums.ts';
import type { Json } from './json-object.ts';
import { locate, responseName, selectedFields } from './select.ts';
import type { Fragments, Selected } from './select.ts';

/** JSON schemas of the scalar types. */
const scalars: Readonly<Record<string, Json>> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  BigInt: { type: 'integer', format: 'int64' },
  DateTime: { type: 'string', format: 'date-time' },
  FieldValue: { description: 'A string, a number, a Boolean or a list of strings.' },
};

/** Names that legacy clients know for types of the schema. */
const legacyNames: Readonly<Record<string, string>> = { Operation: 'Operation_Out', OperationError: 'OpError' };

/** Derives JSON schemas from what a document selects. */
export type Deriver = Readonly<{
  /**
   * The schema of the value at a path of response names; `on Type` steps into a member of a union. `name` names an
   * object whose selection differs from the one that is named after its type.
   */
  at(document: string, path: readonly string[], omit?: readonly string[], name?: string): Json;
  /** Every named schema encountered, by name. */
  components: ReadonlyMap<string, Json>;
}>;

export function createDeriver(schema: GraphQLSchema): Deriver {
  const components = new Map<string, Json>();

  /** Registers a named schema. @throws Error if one name would have two meanings. */
  function named(name: string, value: Json): Json {
    const known = components.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(value)) {
      throw new Error(`Two selections of the schema would both be called ${name}`);
    }
    components.set(name, value);
    return { $ref: `#/components/schemas/${name}` };
  }

  function ofType(type: GraphQLOutputType, selection: SelectionSetNode | undefined, fragments: Fragments): Json {
    if (isNonNullType(type)) return ofValue(type.ofType, selection, fragments);
    return orNull(ofValue(type, selection, fragments));
  }

  function ofValue(type: GraphQLOutputType, selection: SelectionSetNode | undefined, fragments: Fragments): Json {
    if (isListType(type)) return { type: 'array', items: ofType(type.ofType, selection, fragments) };
    if (isEnumType(type)) {
      const values = type.getValues().map(({ name }) => name);
      return named(type.name, enumSchema(type.name, values, type.description ?? ''));
    }
    if (isObjectType(type))
      return ofObject(type.name, selectedFields(schema, type.name, selection, fragments), fragments);
    const scalar = 'name' in type ? scalars[type.name] : undefined;
    if (scalar === undefined) throw new Error(`No JSON schema is known for ${String(type)}`);
    return scalar;
  }

  function ofObject(typeName: string, fields: readonly Selected[], fragments: Fragments, name?: string): Json {
    const properties = fields.map(({ field, type, about }): [string, Json] => [
      responseName(field),
      { ...ofType(type, field.selectionSet, fragments), ...about },
    ]);
    const required = fields
      .filter(({ optional, type }) => !optional && !isNullableListOrObject(type))
      .map(({ field }) => responseName(field));
    return named(name ?? legacyNames[typeName] ?? typeName, {
      type: 'object',
      description: schema.getType(typeName)?.description ?? '',
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(properties),
    });
  }

  return {
    components,
    at(document, path, omit = [], name) {
      const { type, selection, fragments } = locate(schema, document, path);
      const value = isNonNullType(type) ? type.ofType : type;
      const isList = isListType(value);
      const each = isList && isNonNullType(value.ofType) ? value.ofType.ofType : value;
      if (!isObjectType(each)) return ofValue(value, selection, fragments);
      const fields = selectedFields(schema, each.name, selection, fragments);
      const object = ofObject(
        each.name,
        fields.filter(({ field }) => !omit.includes(responseName(field))),
        fragments,
        name,
      );
      return isList ? { type: 'array', items: object } : object;
    },
  };
}

/**
 * Whether a field is a nullable list or object. Replies always contain it, but the schema does not require it: Java
 * clients from openapi-generator dereference required ones without a null check.
 */
function isNullableListOrObject(type: GraphQLOutputType): boolean {
  return isListType(type) || isObjectType(type);
}

/**
 * A schema that also accepts null. A schema without a type accepts it already, and generators fail if null is stated
 * twice.
 */
export function orNull(schema: Json): Json {
  const { type } = schema;
  if (type === undefined && !('$ref' in schema)) return schema;
  return typeof type === 'string' && !('enum' in schema)
    ? { ...schema, type: [type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}
