import type { RecordPage } from './list-records.ts';
import { explainMatchOf, similaritiesOf, similarPart } from './resolve-similarity.ts';
import { shownSimilarity } from '../../similarity/index.ts';
import type { MatchExplanation } from '../../similarity/index.ts';

/** What a row has in addition to its record, if the query has a similarity term. */
export type ExplainedRow = Readonly<{ similarity?: number | null; match?: MatchExplanation | null }>;

/** Adds the similarity and the match explanation of each row to a page, if the query has a similarity term. */
export function withMatchExplanation(page: RecordPage): RecordPage {
  // Only these terms are evaluated per row; the others play no part.
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
      similarity: similarity === undefined ? null : shownSimilarity(similarity),
      match: explainMatchOf(condition, answers, rowId),
    };
  });
  return { ...page, results };
}
