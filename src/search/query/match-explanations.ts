import type { RecordPage } from './list-records.ts';
import { explainMatchOf, similaritiesOf, similarPart } from './resolve-similarity.ts';
import type { MatchExplanation } from '../../similarity/index.ts';

/** What a row of a page has beside its record where the question asks for similarity. */
export type Found = Readonly<{ similarity?: number | null; match?: MatchExplanation | null }>;

/** The page with how similar each of its rows is, and why, where its question asks for similarity. */
export function withMatchExplanation(page: RecordPage): RecordPage {
  // Asked of each row: what else a formula asks does not concern it.
  const { searchQuery } = page;
  const condition = searchQuery.condition && similarPart(searchQuery.condition);
  if (condition === null) return page;
  const { answers } = searchQuery;
  const similarities = similaritiesOf(condition, answers);
  const results = page.results.map((row) => {
    const rowId = Number(row.rowId);
    const similarity = similarities?.get(rowId);
    return {
      ...row,
      similarity: similarity === undefined ? null : rounded(similarity),
      match: explainMatchOf(condition, answers, rowId),
    };
  });
  return { ...page, results };
}

/** No measure is more exact. */
function rounded(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}
