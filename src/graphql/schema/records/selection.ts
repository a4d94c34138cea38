import { AppError } from '../../../lib/errors.ts';
import type { Resource, WriteElement } from '../../../catalog/index.ts';
import { maxElements, maxSetBytes } from '../../../operations/index.ts';
import { correctWords, findIds } from '../../../search/index.ts';
import type { IdsAsked } from '../../../search/index.ts';
import { requireScope, tenantOf } from '../context.ts';
import type { Context } from '../context.ts';
import { searchQueryOf } from '../search/search-query.ts';
import type { FormulaAsked } from '../search/search-query.ts';
import { readScopes } from '../read-scopes.ts';

/** The elements of a write that a formula finds when the write is accepted; later changes do not affect them. */
export type Selection = Readonly<{
  /** What the caller sent: it distinguishes two writes, as elements do for other writes. */
  said: readonly unknown[];
  find: () => Promise<readonly WriteElement[]>;
}>;

const idOf = { image: 'image_id', video: 'id' } as const;

/** Records by their ids, or by a formula. */
export type RecordsAsked = FormulaAsked & Readonly<{ ids?: readonly string[] | null | undefined }>;

/** @throws AppError `invalid_argument` if both ids and a formula are given, or neither */
export function requireIdsOrFormula(resource: Resource, { ids, q }: RecordsAsked): void {
  if (((ids ?? null) === null) !== ((q ?? null) === null)) return;
  throw new AppError('invalid_argument', 'Give exactly one of ids and q', {
    argument: 'q',
    hint: `q: "" selects every ${resource}`,
  });
}

/** What is written to the records of a formula, and whether mistyped words in it are corrected. */
type SelectedWrite = Readonly<{
  values: WriteElement['values'];
  correctsWords: boolean;
  /** The order of the records and their maximum number; if not given, those of writes, ordered by id. */
  listed?: IdsAsked;
}>;

/**
 * Returns the records that a formula finds, each with the same values.
 *
 * @throws AppError `forbidden` if the caller may not search, `too_large` for values that are too long. Its `find` throws
 * `invalid_formula`, and `invalid_argument` if nothing or too much is found.
 */
export function selectionOf(
  context: Context,
  resource: Resource,
  asked: FormulaAsked,
  { values, correctsWords, listed }: SelectedWrite,
): Selection {
  requireScope(context, readScopes[resource]);
  const said = Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (Buffer.byteLength(JSON.stringify(said)) > maxSetBytes) {
    const message = `What is written to every ${resource} of a formula may have at most ${maxSetBytes / 1024} KiB of JSON`;
    throw new AppError('too_large', message, { hint: 'Write long texts record by record' });
  }
  return {
    said: [asked.q, asked.lang ?? 'ml', said, ...(listed ? [listed.sortBy, listed.sortOrder] : [])],
    find: async () => (await idsOf(context, resource, asked, { correctsWords, listed })).map((id) => ({ id, values })),
  };
}

async function idsOf(
  context: Context,
  resource: Resource,
  asked: FormulaAsked,
  { correctsWords, listed }: Omit<SelectedWrite, 'values'>,
): Promise<readonly string[]> {
  const db = tenantOf(context);
  const written = await searchQueryOf(context, resource, asked);
  const searchQuery = correctsWords ? await correctWords(db, written) : written;
  return findIds(db, searchQuery, listed ?? { sortBy: idOf[resource], sortOrder: 'asc', most: maxElements });
}
