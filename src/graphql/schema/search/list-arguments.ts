import { facetModes } from '../../../search/index.ts';
import type { Facet, FacetValue } from '../../../search/index.ts';
import { builder } from '../builder.ts';

/** What lists of images and of videos share. */

export const SortOrder = builder.enumType('SortOrder', {
  description: 'Direction of sorting. Missing values come last in both.',
  values: ['asc', 'desc'] as const,
});

export const SearchLanguage = builder.enumType('SearchLanguage', {
  description: 'Language that the words of a formula are analyzed in; `ml`: every language that records have.',
  values: ['ml', 'en', 'es'] as const,
});

export const FacetModeEnum = builder.enumType('FacetMode', {
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

export const FacetRef = builder.objectRef<Facet>('Facet').implement({
  description: 'The values of a field among all that matches.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The field.' }),
    values: t.expose('values', {
      type: [FacetValueRef],
      description: 'At most 100, the most frequent first.',
    }),
  }),
});
