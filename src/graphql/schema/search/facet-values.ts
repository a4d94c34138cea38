import { correctWords, searchFacetValues } from '../../../search/index.ts';
import { builder } from '../builder.ts';
import { tenantOf } from '../context.ts';
import { ImageFacet } from '../records/image.ts';
import { FacetValueRef, formulaLangArg } from './list-arguments.ts';
import { checkLimit } from '../pages.ts';
import { searchQueryOf } from './search-query.ts';
import { VideoFacet } from '../records/video.ts';

/** Maximum number of values in an answer. */
const maxValues = 100;

const kinds = [
  { name: 'facetValues', resource: 'image', many: 'images', facet: ImageFacet, scope: 'imgs:read' },
  { name: 'videoFacetValues', resource: 'video', many: 'videos', facet: VideoFacet, scope: 'vids:read' },
] as const;

for (const { name, resource, many, facet, scope } of kinds) {
  builder.queryField(name, (t) =>
    t.field({
      type: [FacetValueRef],
      description: `Facet values of ${many} by prefix: first values that begin with it, then values with a word that begins with it, then values with a typing mistake.`,
      args: {
        field: t.arg({ type: facet, required: true, description: 'The facet.' }),
        text: t.arg.string({
          description: 'The prefix, up to 60 characters; by default the most frequent values.',
        }),
        q: t.arg.string({ description: `Only among the ${many} that match this formula.` }),
        ...formulaLangArg,
        limit: t.arg.int({ defaultValue: 20, required: true, description: 'Maximum number of values, 1 to 100.' }),
      },
      authScopes: { scope },
      resolve: async (_root, { field, text, q, lang, limit }, context) => {
        checkLimit(limit, maxValues);
        const db = tenantOf(context);
        const searchQuery = await correctWords(db, await searchQueryOf(context, resource, { q, lang }));
        return searchFacetValues(db, searchQuery, { name: field, text: text ?? '', limit });
      },
    }),
  );
}
