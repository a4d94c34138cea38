import { totalOf, totalOfWord } from '../../catalog/index.ts';
import { readCount, tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { compileForms } from '../formula/to-sql.ts';
import { createParameters, statementOf, whereOf } from './search-query.ts';
import type { Parameters, SearchQuery } from './search-query.ts';

const all = {
  image: tenantStatement('count-images', `SELECT ${totalOf('image')} AS count`, { isRead: true }),
  video: tenantStatement('count-videos', `SELECT ${totalOf('video')} AS count`, { isRead: true }),
};

/** Returns the exact number of the tenant's records that match the query. */
export async function countRecords(db: TenantDb, searchQuery: SearchQuery): Promise<number> {
  const { values, parameter } = createParameters();
  const statement =
    searchQuery.condition === null
      ? all[searchQuery.resource]
      : statementOf(searchQuery, `SELECT ${countOf(searchQuery, parameter)} AS count`, { order: 'none' });
  return readCount(db, statement, values);
}

/**
 * Returns SQL for the number of matches. A negation is counted as the total minus what it negates; triggers maintain
 * the counts of common words.
 */
export function countOf(searchQuery: SearchQuery, parameter: Parameters['parameter']): string {
  const { condition, resource, lang } = searchQuery;
  if (condition?.kind === 'not') {
    return `(${totalOf(resource)} - ${countOf({ ...searchQuery, condition: condition.item }, parameter)})`;
  }
  if (condition === null || condition.kind === 'everything') return totalOf(resource);
  const counted = `(SELECT count(*) FROM ${resource} WHERE ${whereOf(searchQuery, parameter)})`;
  const forms = compileForms(condition, { resource, lang, parameter });
  return forms === null ? counted : `COALESCE(${totalOfWord(resource, forms)}, ${counted})`;
}
