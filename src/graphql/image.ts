import { findImage, imageFields } from '../catalog/index.ts';
import type { Field, FieldType, ImageRow } from '../catalog/index.ts';
import {
  countFacets,
  countImages,
  facetModes,
  imageFacets,
  imageSorts,
  readQuestionOf,
  resolveSimilarity,
  searchImages,
} from '../search/index.ts';
import type { Facet, FacetMode, FacetValue, ImagePage } from '../search/index.ts';
import { builder } from './builder.ts';
import { checkPage } from './check-page.ts';
import { tenantOf, viewerOf } from './context.ts';
import { isRequested, requestedFields } from './requested-fields.ts';

/** The type of the schema for each type of the field table. */
const schemaTypes = {
  text: 'String',
  keyword: 'String',
  date: 'String',
  list: ['String'],
  boolean: 'Boolean',
  integer: 'Int',
  time: 'DateTime',
} as const satisfies Record<FieldType, unknown>;

/** Most images of one page. */
const maxPage = 10_000;

const alwaysPresent = ['imageId', 'width', 'height', 'createdAt', 'updatedAt'];

export const Image = builder.objectRef<ImageRow>('Image').implement({
  description: 'An image of the catalog.',
  fields: (t) =>
    Object.fromEntries(
      imageFields.map(({ property, type, access, description }: Field) => [
        property,
        // The table's names are the row's properties (a test compares them), which types cannot see.
        t.expose(property as 'title', {
          type: (access === 'identifier' ? 'ID' : schemaTypes[type]) as 'String',
          nullable: !alwaysPresent.includes(property) as true,
          description,
        }),
      ]),
    ),
});

export const ImageSort = builder.enumType('ImageSort', {
  description:
    'What a list of images can be sorted by; without one the best answers to bare text come first, else the newest.',
  values: imageSorts.filter((name) => name !== ''),
});

export const SortOrder = builder.enumType('SortOrder', {
  description: 'Direction of sorting. Missing values come last in both.',
  values: ['asc', 'desc'] as const,
});

export const SearchLanguage = builder.enumType('SearchLanguage', {
  description: 'Language that the words of a formula are analysed in; `ml`: every language that records have.',
  values: ['ml', 'en', 'es'] as const,
});

export const ImageFacet = builder.enumType('ImageFacet', {
  description: 'Fields whose values can be counted.',
  values: imageFacets,
});

const FacetModeEnum = builder.enumType('FacetMode', {
  description:
    'What a facet counts over: everything that matches, or `disjunctive`, leaving out conditions on its own field.',
  values: facetModes,
});

export const FacetValueRef = builder.objectRef<FacetValue>('FacetValue').implement({
  description: 'A value of a facet.',
  fields: (t) => ({
    value: t.expose('value', {
      type: 'FacetKey',
      nullable: true,
      description: 'The value; null counts the records that have none.',
    }),
    count: t.exposeInt('count', { description: 'How many records have it, exactly.' }),
  }),
});

const FacetRef = builder.objectRef<Facet>('Facet').implement({
  description: 'The values of a field among all that matches.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The field.' }),
    values: t.expose('values', {
      type: [FacetValueRef],
      description: 'At most 100, the most frequent first.',
    }),
  }),
});

const ImageResults = builder.objectRef<ImagePage>('ImagePage').implement({
  description: 'A page of images.',
  fields: (t) => ({
    results: t.expose('results', { type: [Image], description: 'The images of this page.' }),
    cursor: t.exposeString('cursor', {
      nullable: true,
      description: 'Goes on after this page when given as `cursor`; null on the last page.',
    }),
    count: t.int({
      description: 'How many images match in all, exactly. Counted only when asked for.',
      resolve: ({ question }, _args, context) => countImages(tenantOf(context), question),
    }),
    facets: t.field({
      type: [FacetRef],
      description: 'How often each value occurs among all that match.',
      args: {
        fields: t.arg({ type: [ImageFacet], required: true, description: 'The fields to count.' }),
        mode: t.arg({ type: FacetModeEnum, description: 'What is counted; everything that matches without one.' }),
      },
      resolve: ({ question }, { fields, mode }, context) =>
        countFacets(tenantOf(context), question, fields, (mode ?? 'conjunctive') as FacetMode),
    }),
  }),
});

builder.queryField('image', (t) =>
  t.field({
    type: Image,
    nullable: true,
    description: 'One image by its id; null when the tenant has none.',
    args: { id: t.arg.id({ required: true, description: 'The image id.' }) },
    authScopes: { scope: 'imgs:read' },
    resolve: (_root, { id }, context, info) => findImage(tenantOf(context), id, requestedFields(info)),
  }),
);

builder.queryField('images', (t) =>
  t.field({
    type: ImageResults,
    description: 'Images in pages: by number up to 100 000 rows deep, by cursor at any depth.',
    args: {
      q: t.arg.string({ description: 'The search formula; everything without one.' }),
      lang: t.arg({ type: SearchLanguage, description: 'Language of its words, `ml` without one.' }),
      page: t.arg.int({ defaultValue: 1, required: true, description: 'Number of the page, from 1.' }),
      limit: t.arg.int({ defaultValue: 50, required: true, description: 'Images per page, 1 to 10 000.' }),
      sortBy: t.arg({
        type: ImageSort,
        description: 'What to sort by; the best answers, else the newest, first without it.',
      }),
      sortOrder: t.arg({ type: SortOrder, defaultValue: 'desc', required: true, description: 'Direction of sorting.' }),
      cursor: t.arg.string({ description: 'The `cursor` of the page before; `page` is then not used.' }),
    },
    authScopes: { scope: 'imgs:read' },
    resolve: async (_root, { q, lang, sortBy, cursor, ...args }, context, info) => {
      checkPage(args, maxPage);
      const { searchVerify: mayVerify } = viewerOf(context);
      const db = tenantOf(context);
      const read = await readQuestionOf(db, q ?? '', { resource: 'image', lang: lang ?? 'ml', mayVerify });
      const asked = await resolveSimilarity(db, q ?? '', read, context.services.similar);
      return searchImages(db, asked, {
        ...args,
        sortBy: sortBy ?? '',
        cursor: cursor ?? null,
        properties: requestedFields(info, ['results']),
        withCursor: isRequested(info, 'cursor'),
      });
    },
  }),
);
