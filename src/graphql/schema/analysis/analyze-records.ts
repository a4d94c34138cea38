import type { Resource, WriteElement } from '../../../catalog/index.ts';
import { builder } from '../builder.ts';
import type { Context } from '../context.ts';
import { SearchLanguageEnum } from '../search/list-arguments.ts';
import { requireIdsOrFormula, selectionOf } from '../records/selection.ts';
import type { RecordsAsked, Selection } from '../records/selection.ts';
import { write, writeArgs, WriteResult } from '../records/write-records.ts';

/** Returns the records with the ids, or those that a formula finds. @throws AppError if both or neither are given. */
function recordsOf(
  resource: Resource,
  { ids, q, lang }: RecordsAsked,
  context: Context,
): readonly WriteElement[] | Selection {
  requireIdsOrFormula(resource, { ids, q });
  if (ids) return ids.map((id) => ({ id, values: {} }));
  return selectionOf(context, resource, { q, lang }, { values: {}, correctsWords: true });
}

function declareAnalyze(resource: Resource, name: string, scope: 'imgs:write' | 'vids:write'): void {
  const what = resource === 'image' ? 'Analyzes images' : 'Analyzes frames of videos';
  builder.mutationField(name, (t) =>
    t.field({
      type: WriteResult,
      description:
        `${what} that were never analyzed, whose analysis failed, or that another version of an analyzer analyzed. ` +
        `Runs as an operation, whether or not the tenant has its ${resource}s analyzed when they are stored.`,
      args: {
        ids: t.arg.idList({ description: 'Ids, 1 to 10 000. Give `ids` or `q`.' }),
        q: t.arg.string({ description: 'A formula that matches at most 10 000.' }),
        lang: t.arg({ type: SearchLanguageEnum, description: 'Language of the words in the formula.' }),
        force: t.arg.boolean({
          defaultValue: false,
          required: true,
          description: 'Also analyze what this version has already analyzed.',
        }),
        ...writeArgs,
      },
      authScopes: { scope },
      resolve: (_root, { ids, q, lang, force, ...args }, context) => {
        const records = recordsOf(resource, { ids, q, lang }, context);
        return write(`${resource}s.${force ? 'reanalyze' : 'analyze'}`, records, args, context, { argument: 'ids' });
      },
    }),
  );
}

declareAnalyze('image', 'analyzeImages', 'imgs:write');
declareAnalyze('video', 'analyzeVideos', 'vids:write');
