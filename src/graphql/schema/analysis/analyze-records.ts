import { AppError } from '../../../lib/errors.ts';
import type { Resource } from '../../../catalog/index.ts';
import { maxElements } from '../../../operations/index.ts';
import { correctWords, listRecords } from '../../../search/index.ts';
import { builder } from '../builder.ts';
import { tenantOf } from '../context.ts';
import type { Context } from '../context.ts';
import { SearchLanguage } from '../search/list-arguments.ts';
import { searchQueryOf } from '../search/search-query.ts';
import type { FormulaAsked } from '../search/search-query.ts';
import { write, writeArgs, WriteResult } from '../records/write-records.ts';

type Asked = FormulaAsked & Readonly<{ ids?: readonly string[] | null | undefined }>;

const idOf = { image: 'imageId', video: 'videoId' } as const;
const sortOf = { image: 'image_id', video: 'id' } as const;

/** The ids that are given, or those that a formula finds. @throws AppError for both, none or too many. */
async function idsOf(resource: Resource, { ids, q, lang }: Asked, context: Context): Promise<readonly string[]> {
  if ((ids ?? null) !== null && (q ?? null) === null) return ids ?? [];
  if ((ids ?? null) !== null || (q ?? null) === null) {
    throw new AppError('invalid_argument', 'Give exactly one of ids and q', {
      argument: 'q',
      hint: `q: "" is every ${resource}`,
    });
  }
  const db = tenantOf(context);
  const searchQuery = await correctWords(db, await searchQueryOf(context, resource, { q, lang }));
  const property = idOf[resource];
  const page = { page: 1, limit: maxElements + 1, sortBy: sortOf[resource], sortOrder: 'asc', cursor: null } as const;
  const { results } = await listRecords(db, searchQuery, { ...page, properties: [property], withCursor: false });
  if (results.length > maxElements) {
    throw new AppError('invalid_argument', `The formula finds more than ${maxElements} ${resource}s`, {
      hint: 'Select fewer, such as those with ai_status:stale',
    });
  }
  if (results.length === 0) throw new AppError('invalid_argument', `The formula finds no ${resource}`);
  return results.flatMap((row) => (row as Readonly<Record<string, string | undefined>>)[property] ?? []);
}

function declareAnalyze(resource: Resource, name: string, scope: 'imgs:write' | 'vids:write'): void {
  const what = resource === 'image' ? 'Analyzes images' : 'Analyzes frames of videos';
  builder.mutationField(name, (t) =>
    t.field({
      type: WriteResult,
      description:
        `${what} again: if never analyzed, if the analysis failed, and if another version of an analyzer was used. ` +
        `Runs as an operation, whether or not the tenant has its ${resource}s analyzed when they are stored.`,
      args: {
        ids: t.arg.idList({ description: 'Ids, 1 to 10 000. Give `ids` or `q`.' }),
        q: t.arg.string({ description: 'A formula that matches at most 10 000.' }),
        lang: t.arg({ type: SearchLanguage, description: 'Language of the words in the formula.' }),
        force: t.arg.boolean({
          defaultValue: false,
          required: true,
          description: 'Also analyze what this version has already analyzed.',
        }),
        ...writeArgs,
      },
      authScopes: { scope },
      resolve: async (_root, { ids, q, lang, force, ...args }, context) => {
        const found = await idsOf(resource, { ids, q, lang }, context);
        const elements = found.map((id) => ({ id, values: {} }));
        return write(`${resource}s.${force ? 'reanalyze' : 'analyze'}`, elements, args, context, { argument: 'ids' });
      },
    }),
  );
}

declareAnalyze('image', 'analyzeImages', 'imgs:write');
declareAnalyze('video', 'analyzeVideos', 'vids:write');
