import type { TenantDb } from '../../tenants/index.ts';
import { answerList } from './answer.ts';
import { checkCopies } from './check-copies.ts';
import { correctWords, mayNeedCorrection } from './correct-words.ts';
import type { SearchRoute } from '../meilisearch/backend.ts';
import { checkList } from './compose-page.ts';
import type { ListOptions } from './compose-page.ts';
import type { RecordPage } from './list-records.ts';
import type { SearchQuery } from './search-query.ts';

/**
 * Returns a page of the records that match a query, with mistyped words corrected. If a record must contain every
 * word, a page that finds any record proves that none is mistyped, and no words are looked up.
 */
export async function searchRecords(
  db: TenantDb,
  asked: SearchQuery,
  options: ListOptions,
  route?: SearchRoute,
): Promise<RecordPage> {
  if (options.withRows === false) return withoutRows(db, asked, options);
  await checkCopies(db, asked, options);
  const need = mayNeedCorrection(asked);
  if (need !== 'if-nothing-is-found') {
    return answerList(db, need === 'never' ? asked : await correctWords(db, asked), options, route);
  }
  const page = await answerList(db, asked, options, route);
  if (page.results.length > 0) return page;
  const searchQuery = await correctWords(db, asked);
  return searchQuery === asked ? page : answerList(db, searchQuery, options, route);
}

/** Returns an empty page, with the query to count, for a request without records. */
async function withoutRows(db: TenantDb, asked: SearchQuery, options: ListOptions): Promise<RecordPage> {
  checkList(asked, options);
  const searchQuery = mayNeedCorrection(asked) === 'never' ? asked : await correctWords(db, asked);
  return { results: [], cursor: null, searchQuery };
}
