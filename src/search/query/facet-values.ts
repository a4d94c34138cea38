import type { Queryable } from '../../backing/index.ts';
import { AppError } from '../../lib/errors.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { facetOf, groupedValues } from './facets.ts';
import type { FacetValue } from './facets.ts';
import { swappedNeighbors, toleratedEdits } from './typos.ts';
import { fold } from '../formula/words.ts';
import { createParameters, statementOf } from './search-query.ts';
import type { SearchQuery } from './search-query.ts';

/** Maximum length, in code points without case and accents, of a text to look up: the database computes no edit distances of longer ones. */
export const maxFacetText = 60;
/** Maximum length before accents are removed. */
const maxGiven = 10 * maxFacetText;

type FacetValueSearch = Readonly<{
  name: string;
  /** The beginning of a value, or of a word in it; '' for the most frequent values. */
  text: string;
  limit: number;
}>;

/**
 * Returns the values of a facet among the matching records: first those with this prefix, then those that contain a
 * word with it, then those a typing mistake away; each group by frequency.
 */
export async function searchFacetValues(
  db: TenantDb,
  searchQuery: SearchQuery,
  { name, text, limit }: FacetValueSearch,
  client?: Queryable,
): Promise<FacetValue[]> {
  const field = facetOf(name, searchQuery.resource);
  const given = text.trim();
  const wanted = given.length > maxGiven ? null : fold(given);
  if (wanted === null || [...wanted].length > maxFacetText) {
    const message = `text has at most ${maxFacetText} characters`;
    throw new AppError('invalid_argument', message, { argument: 'text' });
  }
  if (wanted.includes('\0')) return []; // No value contains a NUL, and PostgreSQL accepts none.
  const { values, parameter } = createParameters();
  const counted = groupedValues(searchQuery, field, parameter);
  const rank = wanted === '' ? '0' : rankOf(wanted, parameter);
  const sql = `SELECT value, count FROM (
      SELECT value, count, ${rank} AS rank FROM (${counted}) AS counted,
        LATERAL (SELECT search_fold(value::text) AS folded) AS plain
      WHERE value IS NOT NULL
    ) AS ranked WHERE rank IS NOT NULL ORDER BY rank, count DESC, value LIMIT ${parameter(limit)}`;
  const statement = statementOf(searchQuery, sql);
  const { rows } = await db.query<FacetValue & Record<string, unknown>>(statement, values, client);
  return rows;
}

/** Returns SQL for the rank of a folded value: null if the value does not match. */
function rankOf(wanted: string, parameter: (value: unknown) => string): string {
  const text = `${parameter(wanted)}::text`;
  const close = toleratedEdits(wanted) === 0 ? '' : `WHEN ${isClose(wanted, text, parameter)} THEN 2`;
  return `CASE WHEN starts_with(folded, ${text}) THEN 0 WHEN strpos(folded, ' ' || ${text}) > 0 THEN 1 ${close} END`;
}

/** Returns SQL for whether a prefix is close. A missing or extra letter makes it shorter or longer. */
function isClose(wanted: string, text: string, parameter: (value: unknown) => string): string {
  const edits = toleratedEdits(wanted);
  const { length } = [...wanted];
  const beginnings = Array.from({ length: 2 * edits + 1 }, (_, index) => {
    const beginning = `left(folded, ${parameter(length - edits + index)}::int)`;
    return `levenshtein_less_equal(${beginning}, ${text}, ${parameter(edits)}::int) <= ${parameter(edits)}::int`;
  });
  const swapped = `left(folded, ${parameter(length)}::int) = ANY(${parameter(swappedNeighbors(wanted))}::text[])`;
  return [swapped, ...beginnings].join(' OR ');
}
