import { facetModes } from '../../../search/index.ts';
import type { ColorCount, Facet, FacetValue, YearCount } from '../../../search/index.ts';
import { builder } from '../builder.ts';

/** Types and arguments shared by the lists of images and of videos. */

const SortOrderEnum = builder.enumType('SortOrder', {
  description: 'Direction of sorting. Missing values come last in both.',
  values: ['asc', 'desc'] as const,
});

export const SearchLanguageEnum = builder.enumType('SearchLanguage', {
  description: 'Language of the words in a formula; `ml`: all languages.',
  values: ['ml', 'en', 'es'] as const,
});

export const formulaLangArg = builder.args((t) => ({
  lang: t.field({ type: SearchLanguageEnum, description: 'Language of the words in the formula; default `ml`.' }),
}));

export const sortOrderArg = builder.args((t) => ({
  sortOrder: t.field({
    type: SortOrderEnum,
    defaultValue: 'desc',
    required: true,
    description: 'Direction of sorting.',
  }),
}));

export const FacetModeEnum = builder.enumType('FacetMode', {
  description: 'What a facet counts: all matches, or `disjunctive`: without the conditions on its own field.',
  values: facetModes,
});

export const FacetValueRef = builder.objectRef<FacetValue>('FacetValue').implement({
  description: 'A value of a facet.',
  fields: (t) => ({
    value: t.expose('value', {
      type: 'FacetKey',
      nullable: true,
      description: 'The value; null for records without one.',
    }),
    count: t.exposeInt('count', { description: 'The exact number of records with it.' }),
  }),
});

export const YearCountRef = builder.objectRef<YearCount>('YearCount').implement({
  description: 'The number of records of a year.',
  fields: (t) => ({
    year: t.exposeInt('year', {
      nullable: true,
      description: 'The year in which their date begins; null without a date.',
    }),
    count: t.exposeInt('count', { description: 'The exact number of records.' }),
  }),
});

export const ColorCountRef = builder.objectRef<ColorCount>('ColorCount').implement({
  description: 'The number of records of a color family.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The color family, as `color:` takes it.' }),
    count: t.exposeInt('count', { description: 'The exact number of records.' }),
  }),
});

export const FacetRef = builder.objectRef<Facet>('Facet').implement({
  description: 'The values of a field among all matches.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The field.' }),
    values: t.expose('values', {
      type: [FacetValueRef],
      description: 'At most 100, the most frequent first.',
    }),
  }),
});
