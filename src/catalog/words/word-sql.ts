import type { Resource } from '../fields.ts';
import { statementFunction } from '../statement-triggers.ts';

/**
 * The SQL in prisma/functions that counts common words: a function for each table, and the triggers that call it.
 * Written by `npm run generate`.
 */
export function wordFunction(resource: Resource): string {
  const both = `SELECT sign, of.tenant_id, of.stems FROM changed JOIN former USING (row_id),
        LATERAL (VALUES (1, changed.tenant_id, changed.stems), (-1, former.tenant_id, former.stems)) AS of (sign, tenant_id, stems)
        WHERE changed.stems IS DISTINCT FROM former.stems AND ${isCounted(resource, 'of.tenant_id')}`;
  const created = `SELECT 1 AS sign, tenant_id, stems FROM changed WHERE ${isCounted(resource)}`;
  const deleted = `SELECT -1 AS sign, tenant_id, stems FROM former WHERE ${isCounted(resource)} AND tenant_id IN (SELECT id FROM tenant)`;
  const acts = {
    created: recorded(resource, created),
    changed: recorded(resource, both),
    deleted: `-- Records that go with their tenant are of nobody.\n    ${recorded(resource, deleted)}`,
  };
  const frame = {
    settings: ' SET enable_nestloop = off SET enable_mergejoin = off',
    first: '  IF NOT EXISTS (SELECT FROM word_total) THEN\n    RETURN NULL;\n  END IF;\n',
  };
  return `-- Records how often common words of large tenants come and go; word_total has the sums (see src/catalog/words/word-totals.ts).
-- A plan that was made for one row must not compare each of thousands with each.
-- Generated from src/catalog/words/word-sql.ts by \`npm run generate\`.
${statementFunction(resource, 'words', acts, frame)}`;
}

const isCounted = (resource: Resource, tenant = 'tenant_id') =>
  `${tenant} IN (SELECT tenant_id FROM word_total WHERE resource = '${resource}')`;

/** Inserts one row per statement and tenant. */
function recorded(resource: Resource, rows: string): string {
  return `INSERT INTO word_change (tenant_id, resource, words, counts)
    SELECT tenant_id, '${resource}', array_agg(words), array_agg(n) FROM (
      SELECT tenant_id, words, sum(sign)::integer AS n FROM (
        ${withStems(`(${rows}) AS own`)}
      ) AS rows JOIN (
        ${countedStems(`resource = '${resource}'`)}
      ) AS counted USING (tenant_id, stem)
      WHERE ${isFirst} GROUP BY 1, 2 HAVING sum(sign) <> 0
    ) AS summed GROUP BY tenant_id`;
}

/** Repeats each row for each of its stems. */
export const withStems = (rows: string) => `SELECT *, unnest(tsvector_to_array(stems)) AS stem FROM ${rows}`;

/**
 * Each stem of each total, with the stems before it in the total as a tsquery; OFFSET keeps that from being computed
 * for each record.
 */
export function countedStems(where: string): string {
  return `SELECT tenant_id, words, stem, CASE WHEN n > 1 THEN ${anyOf("(string_to_array(words, ' '))[: n - 1]")} END AS before
        FROM word_total, unnest(string_to_array(words, ' ')) WITH ORDINALITY AS own (stem, n) WHERE ${where} OFFSET 0`;
}

/** A record that has several stems of a total only counts for the first of them. */
export const isFirst = '(before IS NULL OR NOT stems @@ before)';

const anyOf = (stems: string) => `('''' || array_to_string(${stems}, ''' | ''') || '''')::tsquery`;
