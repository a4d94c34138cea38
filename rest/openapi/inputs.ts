import type { Body, Endpoint, Parameter } from '../endpoints/endpoint.ts';
import type { BodyField, ObjectType, ValueType } from '../endpoints/types.ts';
import { orNull } from './derive.ts';
import type { Json } from './json-object.ts';
import { enumSchema } from './enums.ts';

export const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** The closed lists of all requests as schemas, by name. @throws Error if one name would have two meanings. */
export function listSchemas(endpoints: readonly Endpoint[]): ReadonlyMap<string, Json> {
  const lists = new Map<string, readonly string[]>();
  const types = endpoints.flatMap(({ parameters, body }) => [
    ...parameters.map(({ type }) => type),
    ...(body === undefined ? [] : body.kind === 'json' ? [body.type] : body.fields.map(({ type }) => type)),
  ]);
  for (const { name, values } of types.flatMap(listsIn)) {
    const known = lists.get(name) ?? values;
    if (known.join() !== values.join()) throw new Error(`Two lists of requests are called ${name}`);
    lists.set(name, values);
  }
  return new Map([...lists].map(([name, values]) => [name, enumSchema(name, values)]));
}

function listsIn(type: ValueType): readonly Extract<ValueType, { kind: 'enum' }>[] {
  if (type.kind === 'enum') return [type];
  if (type.kind === 'list') return listsIn(type.of);
  return type.kind === 'object' ? type.fields.flatMap((field) => listsIn(field.type)) : [];
}

/** The JSON schema of a value of the contract. */
function valueSchema(type: ValueType): Json {
  switch (type.kind) {
    case 'string':
    case 'boolean':
      return { type: type.kind };
    case 'datetime':
      return { type: 'string', format: 'date-time' };
    case 'file':
      return { type: 'string', format: 'binary' };
    case 'integer':
      return {
        type: 'integer',
        ...(type.isId && { format: 'int64' }),
        ...(type.ge !== undefined && { minimum: type.ge }),
        ...(type.le !== undefined && { maximum: type.le }),
      };
    case 'enum':
      return reference(type.name);
    case 'list':
      return {
        type: 'array',
        items: valueSchema(type.of),
        ...(type.min !== undefined && { minItems: type.min }),
        ...(type.max !== undefined && { maxItems: type.max }),
      };
    case 'object':
      return { ...objectSchema(type.fields), ...(type.isClosed && { additionalProperties: false }) };
    default:
      return type satisfies never;
  }
}

function objectSchema(fields: readonly BodyField[], description?: string): Json {
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
  };
}

/**
 * States the default in the description: generators treat a property with a default as required, and then always send
 * it.
 */
function fieldSchema({ type, description, nullable, default: standard, example }: BodyField): Json {
  const schema = nullable ? orNull(valueSchema(type)) : valueSchema(type);
  return {
    ...schema,
    description: withDefault(description, standard),
    ...(example !== undefined && { examples: [example] }),
  };
}

/**
 * An absent or null default is not a value that a client could send. The default of a list is stated in the
 * description only: Go clients from openapi-generator before 7.24 do not compile with one.
 */
function hasDefault(value: unknown): Json {
  return value === undefined || value === null || Array.isArray(value) ? {} : { default: value };
}

/** Appends the default to a description, if there is one to state. */
function withDefault(description: string, value: unknown): string {
  const values = [value].flat().filter((each) => each !== undefined && each !== null && each !== '' && each !== false);
  if (values.length === 0) return description;
  return `${description} Without it ${values.map((each) => `\`${String(each)}\``).join(', ')}.`;
}

/** A parameter as the document lists it. Ids are never empty, and a slash in one would be part of the path. */
export function parameterObject(parameter: Parameter, method: Endpoint['method']): Json {
  const { name, in: place, type, description, pattern, example, examples, default: standard } = parameter;
  const schema = valueSchema(type);
  const isId = place === 'path' && type.kind === 'string';
  return {
    name,
    in: place,
    required: place === 'path' || parameter.required === true,
    description: Array.isArray(standard) ? withDefault(description, standard) : description,
    schema: {
      ...schema,
      ...(isId && { minLength: 1, pattern: '^[^/]+$' }),
      ...(pattern !== undefined && { pattern }),
      ...hasDefault(standard),
    },
    ...(example !== undefined && { example: method === 'GET' ? example.read : example.written }),
    ...(examples !== undefined && { examples: named(examples) }),
  };
}

function named(examples: Readonly<Record<string, unknown>>): Json {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
}

const nouns: Readonly<Record<string, string>> = { imgs: 'Image', vids: 'Video' };
const verbs: Readonly<Record<string, string>> = { POST: 'Create', PUT: 'Create', PATCH: 'Update' };

/** The name that legacy clients know for the object in a JSON body: `ImageCreate`, `ImageUpdateItem`, `IdOnly`. */
function objectName({ path, method }: Pick<Endpoint, 'path' | 'method'>, fields: readonly BodyField[]): string {
  const segment = path.split('/')[1] ?? '';
  if (fields.length === 1) return 'IdOnly';
  const noun = nouns[segment] ?? 'Body';
  const verb = noun === 'Video' ? 'Write' : (verbs[method] ?? '');
  return `${noun}${verb}${path.includes('{') ? '' : 'Item'}`;
}

/**
 * The body that accompanies a formula. It has a name but is not listed as an alternative body: that would change the
 * type of batches in generated clients.
 */
function formulaBodySchema(path: string, type: ObjectType | undefined): Readonly<Record<string, Json>> {
  if (type === undefined || type.fields.length === 0) return {};
  return { [`${nouns[path.split('/')[1] ?? ''] ?? 'Body'}Changes`]: valueSchema(type) };
}

const anyId = { description: 'Identifier of the record.' };

/** The content of a request and the named schemas that it refers to. */
type DescribedBody = Readonly<{ contentType: string; schema: Json; named: Readonly<Record<string, Json>> }>;

export function describeBody(endpoint: Pick<Endpoint, 'path' | 'method'>, body: Body, formName: string): DescribedBody {
  if (body.kind === 'form') {
    const named = { [formName]: objectSchema(body.fields, body.description) };
    return { contentType: 'multipart/form-data', schema: reference(formName), named };
  }
  const { type } = body;
  const [outer, inner] = type.kind === 'list' ? [type, type.of] : [undefined, type];
  if (inner.kind !== 'object') return { contentType: 'application/json', schema: valueSchema(type), named: {} };
  const name = body.name ?? objectName(endpoint, inner.fields);
  const schema = outer === undefined ? reference(name) : { ...valueSchema(outer), items: reference(name) };
  // Images and videos share `IdOnly`, so the description of its field must fit both.
  const fields = name === 'IdOnly' ? inner.fields.map((field) => ({ ...field, ...anyId })) : inner.fields;
  const named = { [name]: objectSchema(fields), ...formulaBodySchema(endpoint.path, body.withFormula) };
  return { contentType: 'application/json', schema, named };
}
