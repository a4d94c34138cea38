import { correctWords, readQuestionOf, resolveSimilarity, searchFacetValues } from '../search/index.ts';
import { builder } from './builder.ts';
import { checkPage } from './check-page.ts';
import { tenantOf, viewerOf } from './context.ts';
import { ImageFacet } from './image.ts';
import { FacetValueRef, SearchLanguage } from './list-arguments.ts';

/** Most values of one answer. */
const maxValues = 100;

builder.queryField('facetValues', (t) =>
  t.field({
    type: [FacetValueRef],
    description:
      'Values of a facet by their beginning: those that begin so, then those with a word that does, then those that do but for a typing mistake.',
    args: {
      field: t.arg({ type: ImageFacet, required: true, description: 'The facet.' }),
      text: t.arg.string({ description: 'The beginning, up to 60 characters; the most frequent values without one.' }),
      q: t.arg.string({ description: 'Only among the images that match this formula.' }),
      lang: t.arg({ type: SearchLanguage, description: 'Language of its words, `ml` without one.' }),
      limit: t.arg.int({ defaultValue: 20, required: true, description: 'Most values, 1 to 100.' }),
    },
    authScopes: { scope: 'imgs:read' },
    resolve: async (_root, { field: name, text, q, lang, limit }, context) => {
      checkPage({ page: 1, limit }, maxValues);
      const db = tenantOf(context);
      const { searchVerify: mayVerify, timeZone } = viewerOf(context);
      const options = { resource: 'image', lang: lang ?? 'ml', mayVerify, timeZone } as const;
      const read = await readQuestionOf(db, q ?? '', options);
      const asked = await resolveSimilarity(db, q ?? '', read, context.services, context.request);
      return searchFacetValues(db, await correctWords(db, asked), { name, text: text ?? '', limit });
    },
  }),
);
