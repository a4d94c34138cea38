import {
  imageFacets,
  imageFields,
  imageSorts,
  searchLanguages,
  sortOrders,
  videoFields,
  videoSorts,
  writeLanguages,
} from '../contract.ts';
import type { Body, Endpoint, Parameter } from '../endpoint.ts';
import type { Field, ValueType } from '../types.ts';
import { orNull } from './derive.ts';
import type { Json } from './derive.ts';

/** Names that legacy clients know for closed lists. */
const listNames = new Map<readonly string[], string>([
  [imageFields, 'ImageField'],
  [imageSorts, 'ImageSort'],
  [imageFacets, 'ImageFacet'],
  [videoFields, 'VideoField'],
  [videoSorts, 'VideoSort'],
  [searchLanguages, 'LangSearch'],
  [writeLanguages, 'LangWrite'],
  [sortOrders, 'SortOrder'],
]);

export const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** The closed lists as named schemas. */
export const listSchemas: Readonly<Record<string, Json>> = Object.fromEntries(
  [...listNames].map(([values, name]) => [name, { type: 'string', enum: values }]),
);

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
        ...(type.ge !== undefined && { minimum: type.ge }),
        ...(type.le !== undefined && { maximum: type.le }),
      };
    case 'enum': {
      const name = listNames.get(type.values);
      return name === undefined ? { type: 'string', enum: type.values } : reference(name);
    }
    case 'list':
      return {
        type: 'array',
        items: valueSchema(type.of),
        ...(type.min !== undefined && { minItems: type.min }),
        ...(type.max !== undefined && { maxItems: type.max }),
      };
    case 'object':
      return objectSchema(type.fields);
    default:
      return type satisfies never;
  }
}

function objectSchema(fields: readonly Field[], description?: string): Json {
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
  };
}

function fieldSchema({ type, description, nullable, default: standard }: Field): Json {
  const schema = nullable ? orNull(valueSchema(type)) : valueSchema(type);
  return { ...schema, description, ...hasDefault(standard) };
}

/** Absent and null defaults are no value that a client could send. */
function hasDefault(value: unknown): Json {
  return value === undefined || value === null ? {} : { default: value };
}

/** A parameter as the document lists it; ids are never empty, and a slash in one would be part of the path. */
export function parameterObject(parameter: Parameter): Json {
  const { name, in: place, type, description, pattern, default: standard } = parameter;
  const schema = valueSchema(type);
  const isId = place === 'path' && type.kind === 'string';
  return {
    name,
    in: place,
    required: place === 'path',
    description,
    schema: {
      ...schema,
      ...(isId && { minLength: 1, pattern: '^[^/]+$' }),
      ...(pattern !== undefined && { pattern }),
      ...hasDefault(standard),
    },
  };
}

const nouns: Readonly<Record<string, string>> = { imgs: 'Image', vids: 'Video' };
const verbs: Readonly<Record<string, string>> = { POST: 'Create', PUT: 'Create', PATCH: 'Update' };

/** Bodies that are of no record. */
const ownNames: Readonly<Record<string, string>> = { verdicts: 'VerdictWrite' };

/** The name that legacy clients know for the object in a JSON body: `ImageCreate`, `ImageUpdateItem`, `IdOnly`. */
function objectName({ path, method }: Pick<Endpoint, 'path' | 'method'>, fields: readonly Field[]): string {
  const segment = path.split('/')[1] ?? '';
  const own = ownNames[segment];
  if (own !== undefined) return own;
  if (fields.length === 1) return 'IdOnly';
  const noun = nouns[segment] ?? 'Body';
  const verb = noun === 'Video' ? 'Write' : (verbs[method] ?? '');
  return `${noun}${verb}${path.includes('{') ? '' : 'Item'}`;
}

const anyId = { description: 'Identifier of the record.' };

/** The content of a request and the named schemas that it refers to. */
export type DescribedBody = Readonly<{ contentType: string; schema: Json; named: Readonly<Record<string, Json>> }>;

export function describeBody(endpoint: Pick<Endpoint, 'path' | 'method'>, body: Body, formName: string): DescribedBody {
  if (body.kind === 'form') {
    const named = { [formName]: objectSchema(body.fields, body.description) };
    return { contentType: 'multipart/form-data', schema: reference(formName), named };
  }
  const { type } = body;
  const [outer, inner] = type.kind === 'list' ? [type, type.of] : [undefined, type];
  if (inner.kind !== 'object') return { contentType: 'application/json', schema: valueSchema(type), named: {} };
  const name = objectName(endpoint, inner.fields);
  const schema = outer === undefined ? reference(name) : { ...valueSchema(outer), items: reference(name) };
  // Of images and videos alike, so what is said of its field is said of both.
  const fields = name === 'IdOnly' ? inner.fields.map((field) => ({ ...field, ...anyId })) : inner.fields;
  return { contentType: 'application/json', schema, named: { [name]: objectSchema(fields) } };
}
