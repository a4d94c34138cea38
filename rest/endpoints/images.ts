import {
  additiveImageFields,
  defaultImageFields,
  explanationLanguages,
  facetModes,
  imageFacets,
  imageFields,
  imageSorts,
  imageWriteFields,
  schemaName,
} from '../contract.ts';
import type { Input, ServedEndpoint } from '../endpoint.ts';
import type { Reply } from '../problems.ts';
import { listOf, oneOf, string } from '../types.ts';
import type { ReadObject } from '../values.ts';
import { fields, flag, limit, page, pathId, search, searchLang, sortBy, sortOrder } from './parameters.ts';
import { found, toPage, writeReply } from './replies.ts';
import { batchWrites, singleWrites } from './writes.ts';
import type { WriteKind, WriteRequest, WrittenResource } from './writes.ts';

const written: WrittenResource = {
  path: '/imgs',
  idParameter: 'image_id',
  one: 'image',
  many: 'images',
  scope: 'imgs:write',
  fields: imageWriteFields,
};

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
  const { wait, urgent, strict, 'Idempotency-Key': idempotencyKey } = values;
  return { wait, urgent, strict, idempotencyKey, waitSeconds: preferWait };
}

/** How the schema answers each kind of write. */
const answers: Readonly<Record<WriteKind, Pick<ServedEndpoint, 'document' | 'variables'>>> = {
  create: {
    document: 'create-images',
    variables: (input) => ({ images: toImages(input), lang: input.values['lang'] }),
  },
  replace: {
    document: 'replace-images',
    variables: (input) => ({
      images: toImages(input),
      lang: input.values['lang'],
      upsert: input.values['upsert'],
    }),
  },
  update: {
    document: 'update-images',
    // The record keeps its language unless the request names one.
    variables: (input) => ({
      images: toImages(input),
      lang: input.given.has('lang') ? input.values['lang'] : null,
    }),
  },
  delete: { document: 'delete-images', variables: (input) => ({ ids: toIds(input) }) },
};

function write({ kind, ...request }: WriteRequest): ServedEndpoint {
  const { document, variables } = answers[kind];
  return {
    ...request,
    document,
    variables: (input) => ({ ...variables(input), ...writeOptions(input) }),
    reply: writeReply,
  };
}

type Facet = Readonly<{ name: string; values: unknown }>;

function listReply(data: Record<string, unknown>, { values }: Input): Reply {
  const { results, count = null, facets = [], cursor } = data['images'] as Record<string, unknown>;
  const byName = Object.fromEntries((facets as Facet[]).map((facet) => [facet.name, facet.values]));
  return { status: 200, body: { results, count, facets: byName, ...(values['cursor'] !== null && { cursor }) } };
}

const single: ServedEndpoint = {
  method: 'GET',
  path: '/imgs/{image_id}',
  summary: 'One image',
  scope: 'imgs:read',
  document: 'get-image',
  parameters: [
    pathId('image_id', 'Identifier of the image.'),
    fields(imageFields, defaultImageFields, additiveImageFields),
  ],
  defaultFields: defaultImageFields,
  variables: ({ values }) => ({ id: values['image_id'] }),
  reply: (data) => found(data, 'image', 'Image not found'),
};

const list: ServedEndpoint = {
  method: 'GET',
  path: '/imgs',
  summary: 'Search images',
  scope: 'imgs:read',
  document: 'list-images',
  parameters: [
    search('Formula; empty for every image.'),
    page,
    limit(10_000),
    sortBy(imageSorts, 'Field to sort by; empty for the best first. `similarity` needs a similarity term in `q`.'),
    sortOrder,
    fields(imageFields, defaultImageFields, additiveImageFields),
    {
      name: 'facets',
      in: 'query',
      type: listOf(oneOf(imageFacets)),
      default: [],
      description: 'Fields whose values are counted; repeatable.',
    },
    flag('count', 'Include the total hit count.'),
    {
      name: 'facets_mode',
      in: 'query',
      type: oneOf(facetModes),
      default: 'conjunctive',
      description: '`disjunctive` counts the values of a field as if the formula said nothing of it.',
    },
    searchLang,
    {
      name: 'cursor',
      in: 'query',
      type: string,
      default: null,
      description: 'Where to go on, for pages of any depth; empty to begin such a walk.',
    },
  ],
  defaultFields: defaultImageFields,
  variables: ({ values }) => {
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
};

const explain: ServedEndpoint = {
  method: 'GET',
  path: '/imgs/explain',
  summary: 'What a search formula means and finds',
  scope: 'imgs:read',
  document: 'explain-formula',
  parameters: [
    search('Formula; empty for every image.'),
    searchLang,
    {
      name: 'language',
      in: 'query',
      type: oneOf(explanationLanguages),
      default: 'en',
      description: 'Language of the sentences.',
    },
  ],
  variables: ({ values }) => ({ q: values['q'], lang: values['lang'], language: values['language'] }),
  reply: (data) => ({ status: 200, body: data['explanation'] }),
};

export const imageEndpoints: readonly ServedEndpoint[] = [
  explain,
  single,
  ...singleWrites(written).map(write),
  list,
  ...batchWrites(written).map(write),
];
