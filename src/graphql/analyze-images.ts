import { AppError } from '../errors.ts';
import { maxElements } from '../operations/index.ts';
import { correctWords, listRecords, readQuestionOf, resolveSimilarity } from '../search/index.ts';
import { builder } from './builder.ts';
import { tenantOf, viewerOf } from './context.ts';
import type { Context } from './context.ts';
import { SearchLanguage } from './list-arguments.ts';
import { write, writeArgs, WriteResult } from './write-records.ts';

type Asked = Readonly<{ ids?: readonly string[] | null; q?: string | null; lang?: 'ml' | 'en' | 'es' | null }>;

/** The ids that are given, or those that a formula finds. @throws AppError for both, none or too many. */
async function idsOf({ ids, q, lang }: Asked, context: Context): Promise<readonly string[]> {
  if ((ids ?? null) !== null && (q ?? null) === null) return ids ?? [];
  if ((ids ?? null) !== null || (q ?? null) === null) {
    throw new AppError('invalid_argument', 'Give exactly one of ids and q', { hint: 'q: "" is every image' });
  }
  const { searchVerify: mayVerify, timeZone } = viewerOf(context);
  const db = tenantOf(context);
  const read = await readQuestionOf(db, q ?? '', { resource: 'image', lang: lang ?? 'ml', mayVerify, timeZone });
  const question = await correctWords(
    db,
    await resolveSimilarity(db, q ?? '', read, context.services, context.request),
  );
  const page = { page: 1, limit: maxElements + 1, sortBy: 'image_id', sortOrder: 'asc', cursor: null } as const;
  const { results } = await listRecords(db, question, { ...page, properties: ['imageId'], withCursor: false });
  if (results.length > maxElements) {
    throw new AppError('invalid_argument', `The formula finds more than ${maxElements} images`, {
      hint: 'Ask for a part of them, such as those with ai_status:stale',
    });
  }
  if (results.length === 0) throw new AppError('invalid_argument', 'The formula finds no image');
  return results.flatMap((row) => ('imageId' in row ? (row.imageId ?? []) : []));
}

builder.mutationField('analyzeImages', (t) =>
  t.field({
    type: WriteResult,
    description:
      'Analyses images anew: what was never analysed, what failed, and what another version of an analyser found. ' +
      'An operation of its own, whether or not the tenant has its images analysed when they are stored.',
    args: {
      ids: t.arg.idList({ description: 'Their ids, 1 to 10 000. Give these or `q`.' }),
      q: t.arg.string({ description: 'A formula that finds them, 10 000 at most.' }),
      lang: t.arg({ type: SearchLanguage, description: 'Language that words of the formula are analysed in.' }),
      force: t.arg.boolean({
        defaultValue: false,
        required: true,
        description: 'Analyse also what this version has analysed.',
      }),
      ...writeArgs,
    },
    authScopes: { scope: 'imgs:write' },
    resolve: async (_root, { ids, q, lang, force, ...args }, context) => {
      const found = await idsOf({ ids: ids ?? null, q: q ?? null, lang: lang ?? null }, context);
      const elements = found.map((id) => ({ id, values: {} }));
      return write(force ? 'images.reanalyze' : 'images.analyze', elements, args, context);
    },
  }),
);
