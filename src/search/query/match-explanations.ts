import type { RecordPage } from './list-records.ts';
import { explainMatchOf, similaritiesOf, similarPart } from './resolve-similarity.ts';
import type { MatchExplanation } from '../../similarity/index.ts';

/** What a row of a page has beside its record if the query has a similarity term. */
export type ExplainedRow = Readonly<{ similarity?: number | null; match?: MatchExplanation | null }>;

/** The page with the similarity of each row and its explanation, if the query has a similarity term. */
export function withMatchExplanation(page: RecordPage): RecordPage {
  // Evaluated for each row: the other terms do not matter.
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

/** The most exact measure. */
function rounded(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}
