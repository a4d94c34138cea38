import {
  defaultImageFields,
  facetModes,
  imageFacets,
  imageFields,
  imageSorts,
  imageWriteFields,
  operationMethods,
  operationResources,
  schemaName,
  searchLanguages,
  sortOrders,
  writeLanguages,
} from './contract.ts';
import type { BodyFieldType } from './contract.ts';
import { refuse } from './problems.ts';
import type { Reply } from './problems.ts';
import { nullable, readBoolean, readEnum, readInteger, readList, readObject, readString, readTime } from './values.ts';
import type { ReadObject, Reader, Shape } from './values.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Parameter = Readonly<{
  name: string;
  in: 'path' | 'query';
  reader: Reader;
  /** Repeatable: every value counts. Of a single one the last counts. */
  list?: true;
  default?: unknown;
}>;

/** What a request said, once it is known to be valid. */
export type Input = Readonly<{
  /** Path and query values by name, defaults filled in. */
  values: Readonly<Record<string, unknown>>;
  /** Names of the parameters that the request itself gave. */
  given: ReadonlySet<string>;
  body: unknown;
  /** Seconds of `Prefer: wait=N`. */
  preferWait: number | undefined;
  /** Path and query as requested, for links. */
  target: string;
}>;

/** An endpoint: one row here, one document in documents/. */
export type Endpoint = Readonly<{
  method: Method;
  path: string;
  summary: string;
  document: string;
  parameters: readonly Parameter[];
  body?: Reader;
  /** Contract names of the fields to select by default, where the document leaves them open. */
  defaultFields?: readonly string[];
  variables: (input: Input) => Record<string, unknown>;
  reply: (data: Record<string, unknown>, input: Input) => Reply;
}>;

const maxBatch = 10_000;

const bodyReaders: Readonly<Record<BodyFieldType, Reader>> = {
  string: readString,
  boolean: readBoolean,
  strings: readList(readString),
};
const imageShape: Shape = imageWriteFields.map(([name, type]) => ({
  name,
  reader: nullable(bodyReaders[type]),
  required: false,
}));
const idShape: Shape = [{ name: 'id', reader: readString, required: true }];
const oneImage = readObject(imageShape);
const batchBounds = { min: 1, max: maxBatch };
const imageBatch = readList(readObject([...idShape, ...imageShape]), batchBounds);
const idBatch = readList(readObject(idShape), batchBounds);

const flag = (name: string): Parameter => ({ name, in: 'query', reader: readBoolean, default: false });
const writeFlags = [flag('wait'), flag('urgent'), flag('strict')];
const lang: Parameter = { name: 'lang', in: 'query', reader: readEnum(writeLanguages), default: 'es' };
const imageId: Parameter = { name: 'image_id', in: 'path', reader: readString };
const opId: Parameter = { name: 'op_id', in: 'path', reader: readInteger() };
const fields: Parameter = {
  name: 'fields',
  in: 'query',
  reader: readEnum(imageFields),
  list: true,
  default: defaultImageFields,
};
const page: Parameter = { name: 'page', in: 'query', reader: readInteger({ ge: 1 }), default: 1 };
const limit = (le: number): Parameter => ({
  name: 'limit',
  in: 'query',
  reader: readInteger({ ge: 1, le }),
  default: 50,
});

/** A field's values as the schema takes them, with the names that it does not know beside them. */
function toImage({ values, unknownFields }: ReadObject): Record<string, unknown> {
  const image = Object.fromEntries(Object.entries(values).map(([name, value]) => [schemaName(name), value]));
  return unknownFields.length === 0 ? image : { ...image, unknownFields };
}

function toImages({ body, values }: Input): Record<string, unknown>[] {
  const id = values['image_id'];
  return id === undefined ? (body as ReadObject[]).map(toImage) : [{ ...toImage(body as ReadObject), id }];
}

function toIds({ body, values }: Input): unknown[] {
  const id = values['image_id'];
  return id === undefined ? (body as ReadObject[]).map((element) => element.values['id']) : [id];
}

function writeOptions({ values, preferWait }: Input): Record<string, unknown> {
  return { wait: values['wait'], urgent: values['urgent'], strict: values['strict'], waitSeconds: preferWait };
}

/** 202 while the operation goes on; else 201 where something is new, 200 otherwise. */
function writeReply(data: Record<string, unknown>): Reply {
  const { __typename, numCreated, ...body } = data['result'] as Record<string, unknown>;
  if (__typename === 'PendingOperation') return { status: 202, body };
  return { status: Number(numCreated) > 0 ? 201 : 200, body };
}

type Write = Readonly<{
  summary: string;
  document: string;
  parameters?: readonly Parameter[];
  more?: Endpoint['variables'];
}>;

const writes: Readonly<Record<'POST' | 'PUT' | 'PATCH' | 'DELETE', Write>> = {
  POST: {
    summary: 'Create',
    document: 'create-images',
    parameters: [lang],
    more: ({ values }) => ({ lang: values['lang'] }),
  },
  PUT: {
    summary: 'Completely replace',
    document: 'replace-images',
    parameters: [lang, flag('upsert')],
    more: ({ values }) => ({ lang: values['lang'], upsert: values['upsert'] }),
  },
  PATCH: {
    summary: 'Change the fields sent of',
    document: 'update-images',
    parameters: [lang],
    // The record keeps its language unless the request names one.
    more: ({ values, given }) => ({ lang: given.has('lang') ? values['lang'] : null }),
  },
  DELETE: { summary: 'Delete', document: 'delete-images' },
};

function writeEndpoint(method: keyof typeof writes, path: string, noun: string, single: boolean): Endpoint {
  const { summary, document, parameters = [], more } = writes[method];
  const isDelete = document === 'delete-images';
  return {
    method: path.endsWith('/delete') ? 'POST' : method,
    path,
    summary: `${summary} ${noun}`,
    document,
    parameters: [...(single ? [imageId] : []), ...writeFlags, ...parameters],
    ...(single ? !isDelete && { body: oneImage } : { body: isDelete ? idBatch : imageBatch }),
    variables: (input) => ({
      ...(isDelete ? { ids: toIds(input) } : { images: toImages(input) }),
      ...writeOptions(input),
      ...more?.(input),
    }),
    reply: writeReply,
  };
}

function found(data: Record<string, unknown>, name: string, detail: string): Reply {
  const body = data[name];
  if (body === null) throw refuse(404, detail);
  return { status: 200, body };
}

type Facet = Readonly<{ name: string; values: unknown }>;

function listReply(data: Record<string, unknown>, { values }: Input): Reply {
  const { results, count = null, facets = [], cursor } = data['images'] as Record<string, unknown>;
  const byName = Object.fromEntries((facets as Facet[]).map((facet) => [facet.name, facet.values]));
  return { status: 200, body: { results, count, facets: byName, ...(values['cursor'] !== null && { cursor }) } };
}

function operationsReply(data: Record<string, unknown>, { values, target }: Input): Reply {
  const { results, count } = data['operations'] as { results: unknown[]; count: number };
  const [number, size] = [Number(values['page']), Number(values['limit'])];
  const link = (to: number, rel: string) => {
    const [path, query] = target.split('?', 2);
    const parameters = new URLSearchParams(query);
    parameters.set('page', String(to));
    return `<${path}?${parameters}>; rel="${rel}"`;
  };
  const links = [
    ...(number > 1 ? [link(1, 'first'), link(number - 1, 'prev')] : []),
    ...(number * size < count ? [link(number + 1, 'next')] : []),
  ];
  const headers = { 'X-Total-Count': String(count), ...(links.length > 0 && { Link: links.join(', ') }) };
  return { status: 200, body: results, headers };
}

/** Every endpoint; routing, validation, execution and the documentation read this table. */
export const endpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/me',
    summary: "The caller's role",
    document: 'get-me',
    parameters: [],
    variables: () => ({}),
    reply: (data) => ({ status: 200, body: data['me'] }),
  },
  {
    method: 'GET',
    path: '/ops',
    summary: 'List operations, newest first',
    document: 'list-operations',
    parameters: [
      page,
      limit(1000),
      { name: 'method', in: 'query', reader: readEnum(operationMethods), default: null },
      { name: 'resource', in: 'query', reader: readEnum(operationResources), default: null },
      { name: 'is_finished', in: 'query', reader: readBoolean, default: null },
      { name: 'created_after', in: 'query', reader: readTime, default: null },
    ],
    variables: ({ values }) => ({
      page: values['page'],
      limit: values['limit'],
      method: values['method'],
      resource: values['resource'],
      isFinished: values['is_finished'],
      createdAfter: values['created_after'],
    }),
    reply: operationsReply,
  },
  {
    method: 'GET',
    path: '/ops/{op_id}',
    summary: 'Status of an operation',
    document: 'get-operation',
    parameters: [opId],
    variables: ({ values }) => ({ id: toId(values['op_id']) }),
    reply: (data) => found(data, 'operation', 'Operation not found'),
  },
  {
    method: 'DELETE',
    path: '/ops/{op_id}',
    summary: 'Abort an operation',
    document: 'abort-operation',
    parameters: [opId],
    variables: ({ values }) => ({ id: toId(values['op_id']) }),
    reply: (data) => found(data, 'operation', 'Operation not found'),
  },
  {
    method: 'GET',
    path: '/imgs/{image_id}',
    summary: 'One image',
    document: 'get-image',
    parameters: [imageId, fields],
    defaultFields: defaultImageFields,
    variables: ({ values }) => ({ id: values['image_id'] }),
    reply: (data) => found(data, 'image', 'Image not found'),
  },
  writeEndpoint('POST', '/imgs/{image_id}', 'one image', true),
  writeEndpoint('PUT', '/imgs/{image_id}', 'one image', true),
  writeEndpoint('PATCH', '/imgs/{image_id}', 'one image', true),
  writeEndpoint('DELETE', '/imgs/{image_id}', 'one image', true),
  {
    method: 'GET',
    path: '/imgs',
    summary: 'Search images',
    document: 'list-images',
    parameters: [
      { name: 'q', in: 'query', reader: readString, default: '' },
      page,
      limit(10_000),
      { name: 'sort_by', in: 'query', reader: readEnum(imageSorts), default: '' },
      { name: 'sort_order', in: 'query', reader: readEnum(sortOrders), default: 'desc' },
      fields,
      { name: 'facets', in: 'query', reader: readEnum(imageFacets), list: true, default: [] },
      flag('count'),
      { name: 'facets_mode', in: 'query', reader: readEnum(facetModes), default: 'conjunctive' },
      { name: 'lang', in: 'query', reader: readEnum(searchLanguages), default: 'ml' },
      { name: 'cursor', in: 'query', reader: readString, default: null },
    ],
    defaultFields: defaultImageFields,
    variables: (input) => {
      const { values } = input;
      const facets = values['facets'] as readonly string[];
      return {
        q: values['q'],
        lang: values['lang'],
        page: toPage(values['page']),
        limit: values['limit'],
        sortBy: values['sort_by'] || null,
        sortOrder: values['sort_order'],
        cursor: values['cursor'] || null,
        count: values['count'],
        facets,
        facetsMode: values['facets_mode'],
        withFacets: facets.length > 0,
        withCursor: values['cursor'] !== null,
      };
    },
    reply: listReply,
  },
  writeEndpoint('POST', '/imgs', 'images', false),
  writeEndpoint('PUT', '/imgs', 'images', false),
  writeEndpoint('PATCH', '/imgs', 'images', false),
  writeEndpoint('DELETE', '/imgs', 'images', false),
  writeEndpoint('DELETE', '/imgs/delete', 'images (for proxies that strip bodies of DELETE)', false),
];

/** A number beyond what an id can be is the id of nothing. */
function toId(value: unknown): number {
  return Number.isSafeInteger(value) ? Number(value) : -1;
}

/** The schema's integers have 32 bits; every page beyond is too deep anyway. */
function toPage(value: unknown): number {
  return Math.min(Number(value), 2 ** 31 - 1);
}
