import {
  defaultImageFields,
  imageFacets,
  imageFields,
  imageSorts,
  imageWriteFields,
  schemaName,
  searchLanguages,
} from '../contract.ts';
import type { Input, ServedEndpoint } from '../endpoint.ts';
import { invalid, refuse } from '../problems.ts';
import type { Problem, Reply } from '../problems.ts';
import { listOf, oneOf, string } from '../types.ts';
import type { ReadObject } from '../values.ts';
import { fields, flag, limit, page, pathId, search, sortBy, sortOrder } from './parameters.ts';
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

function notYet(input: Input): void {
  const { q, facets, sort_by: sort } = input.values as { q: string; facets: string[]; sort_by: string };
  if (sort === 'similarity' || sort === 'sim') {
    const problem: Problem = {
      type: 'sort_requires_similarity',
      loc: ['query', 'sort_by'],
      input: sort,
      msg: 'Sorting by similarity needs a similarity term in q',
    };
    throw invalid([problem]);
  }
  if (q.trim() !== '' || facets.length > 0 || sort === 'aspect_ratio') {
    throw refuse(501, 'Search by formula is not implemented yet', { code: 'not_implemented' });
  }
}

function listReply(data: Record<string, unknown>, { values }: Input): Reply {
  const { results, count = null, cursor } = data['images'] as Record<string, unknown>;
  return { status: 200, body: { results, count, facets: {}, ...(values['cursor'] !== null && { cursor }) } };
}

const single: ServedEndpoint = {
  method: 'GET',
  path: '/imgs/{image_id}',
  summary: 'One image',
  scope: 'imgs:read',
  document: 'get-image',
  parameters: [pathId('image_id', 'Identifier of the image.'), fields(imageFields, defaultImageFields)],
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
    fields(imageFields, defaultImageFields),
    {
      name: 'facets',
      in: 'query',
      type: listOf(oneOf(imageFacets)),
      default: [],
      description: 'Fields whose values are counted; repeatable.',
    },
    flag('count', 'Include the total hit count.'),
    {
      name: 'lang',
      in: 'query',
      type: oneOf(searchLanguages),
      default: 'ml',
      description: 'Language in which words of the formula are understood; `ml` for all.',
    },
    {
      name: 'cursor',
      in: 'query',
      type: string,
      default: null,
      description: 'Where to go on, for pages of any depth; empty to begin such a walk.',
    },
  ],
  defaultFields: defaultImageFields,
  variables: (input) => {
    notYet(input);
    const { values } = input;
    return {
      page: toPage(values['page']),
      limit: values['limit'],
      sortBy: values['sort_by'] || null,
      sortOrder: values['sort_order'],
      cursor: values['cursor'] || null,
      count: values['count'],
      withCursor: values['cursor'] !== null,
    };
  },
  reply: listReply,
};

export const imageEndpoints: readonly ServedEndpoint[] = [
  single,
  ...singleWrites(written).map(write),
  list,
  ...batchWrites(written).map(write),
];
