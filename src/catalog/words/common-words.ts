import type { Pool } from 'pg';
import { inTransaction } from '../../backing/index.ts';
import type { Database, Queryable } from '../../backing/index.ts';
import type { Resource } from '../fields.ts';
import { countedStems, isFirst, withStems } from './word-sql.ts';
import { lockWordTotals } from './word-totals.ts';

/**
 * A tenant with this many records gets totals, for words in this many of them. PostgreSQL takes a quarter of a second
 * to read that many records.
 */
export type CommonWords = Readonly<{ fromRecords: number; fromHits: number }>;

export const commonWords: CommonWords = { fromRecords: 200_000, fromHits: 50_000 };

/**
 * Maximum number of words of a tenant that have totals, and of sets of words that are searched together: each write
 * compares its records with all of them.
 */
const mostWords = 400;
const mostSets = 200;

/** Number of sampled records: a word that one in a hundred records has is in about a hundred of these. */
const sampled = 10_000;
/** Number of words of the sample, most frequent first, whose forms are examined. */
const mostSpoken = 5_000;

/** Words are chosen again after a day, or when a tenant has doubled or halved in size. */
const due = `
  SELECT t.tenant_id AS "tenantId", t.resource, t.count FROM record_total t LEFT JOIN word_choice c USING (tenant_id, resource)
  WHERE CASE WHEN c.total IS NULL THEN t.count >= $1
    ELSE c.chosen_at < now() - interval '1 day' OR t.count NOT BETWEEN c.total / 2 AND c.total * 2 END
  ORDER BY c.chosen_at NULLS FIRST LIMIT 1`;

/**
 * Marks totals with this transaction: any transaction that did not see the committed row of a total when it wrote is
 * older. A mark that is later than the snapshot comes from another server.
 */
const mark = `
  UPDATE word_total SET since = pg_current_xact_id() WHERE since IS NULL OR since > pg_snapshot_xmax(pg_current_snapshot())`;

const isWatched = 'since <= pg_snapshot_xmin(pg_current_snapshot())';

/** Triggers do not record what older transactions are writing, so those must have ended before records are counted. */
const uncounted = `
  SELECT tenant_id AS "tenantId", resource, bool_or(${isWatched}) AS "canCount" FROM word_total WHERE NOT is_ready
  GROUP BY 1, 2 ORDER BY 3 DESC NULLS LAST LIMIT 1`;

const own = (resource: Resource) => `tenant_id = $1 AND resource = '${resource}'`;

/**
 * The stems that at least `$3` records have, estimated from a sample of `$2` percent of the pages, and the sets of
 * them that are forms of one word. An existing total stays as long as at least half as many records have it.
 */
const candidates = (resource: Resource) => `
  WITH sampled AS MATERIALIZED (
    SELECT words, stems FROM ${resource} TABLESAMPLE SYSTEM ($2::float8) WHERE tenant_id = $1
  ), common AS MATERIALIZED (
    SELECT stem, hits FROM (
      SELECT stem, count(*) * (SELECT $4::float8 / count(*) FROM sampled) AS hits
      FROM sampled, unnest(tsvector_to_array(stems)) AS stem
      WHERE stem !~ '[''\\\\ &]' AND length(stem) <= 100 GROUP BY 1
    ) AS counted LEFT JOIN word_total ON ${own(resource)} AND words = stem
    WHERE hits >= CASE WHEN words IS NULL THEN $3::float8 ELSE $3::float8 / 2 END
    ORDER BY hits DESC, stem LIMIT ${mostWords}
  ), spoken AS (
    SELECT word, count(*) AS times FROM sampled, unnest(tsvector_to_array(words)) AS word
    GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${mostSpoken}
  ), searched AS (
    SELECT string_agg(stem, ' ' ORDER BY stem COLLATE "C") AS words, times
    FROM spoken, unnest(search_lexemes(search_forms(enum_range(NULL::language)::text[], word))) AS stem JOIN common USING (stem)
    GROUP BY word, times HAVING count(*) > 1
  ), sets AS (
    SELECT words FROM searched GROUP BY 1 ORDER BY sum(times) DESC, 1 LIMIT ${mostSets}
  )
  SELECT stem AS words FROM common UNION ALL SELECT words FROM sets`;

/** Keeps only the totals `$2`, and creates those that are missing. Triggers update them once this is committed. */
const setTotals = (resource: Resource) => `
  WITH former AS (DELETE FROM word_total WHERE ${own(resource)} AND words <> ALL ($2::text[]))
  INSERT INTO word_total (tenant_id, resource, words) SELECT $1, '${resource}', unnest($2::text[]) ON CONFLICT DO NOTHING`;
const setChoice = (resource: Resource) => `
  INSERT INTO word_choice (tenant_id, resource, total) VALUES ($1, '${resource}', $2)
  ON CONFLICT (tenant_id, resource) DO UPDATE SET total = EXCLUDED.total, chosen_at = now()`;

/**
 * How much each new total lacks to cover all records: the count of those older than the total. Done in a single
 * statement, so that all counts are of the same moment.
 */
const missing = (resource: Resource) => `
  WITH counted AS (
    SELECT words, count(*) AS count FROM (
      ${withStems(`(SELECT stems FROM ${resource} WHERE tenant_id = $1) AS own`)}
    ) AS rows JOIN (
      ${countedStems(`${own(resource)} AND NOT is_ready`)}
    ) AS asked USING (stem) WHERE ${isFirst} GROUP BY words
  ), changed AS (
    SELECT change.words, sum(change.count) AS count FROM word_change, unnest(words, counts) AS change (words, count)
    WHERE ${own(resource)} GROUP BY 1
  )
  SELECT words, COALESCE(counted.count, 0) - total.count - COALESCE(changed.count, 0) AS count
  FROM word_total AS total LEFT JOIN counted USING (words) LEFT JOIN changed USING (words)
  WHERE ${own(resource)} AND NOT is_ready AND ${isWatched}`;
const complete = (resource: Resource) => `
  UPDATE word_total AS total SET count = total.count + missing.count, is_ready = true
  FROM unnest($2::text[], $3::bigint[]) AS missing (words, count)
  WHERE ${own(resource)} AND total.words = missing.words AND NOT is_ready`;

type Place = Readonly<{ tenantId: number; resource: Resource }>;
type Sized = Place & Readonly<{ count: number }>;

/** The result of a step for a tenant: words were chosen, or the records that have them were counted. */
type WordStep = Place & Readonly<{ act: 'chosen' | 'counted'; words: number }>;

/** Whether there is anything to do for word totals. */
export async function hasWordStep({ pool }: Database, { fromRecords }: CommonWords): Promise<boolean> {
  const { rows } = await pool.query<{ has: boolean }>(
    `SELECT EXISTS (SELECT FROM word_total WHERE NOT is_ready) OR EXISTS (${due}) AS has`,
    [fromRecords],
  );
  return rows[0]?.has === true;
}

/**
 * Takes the next step: chooses the words of a tenant that get totals, or counts the records that have them. Writes
 * continue in the meantime. Only one process at a time may do this; any process can continue where another stopped.
 *
 * @param reader a connection whose statements may take minutes.
 * @returns null if there is nothing to do, and `waiting` while older transactions may still be writing.
 */
export async function takeWordStep(
  { pool }: Database,
  reader: Queryable,
  common: CommonWords,
): Promise<WordStep | 'waiting' | null> {
  await pool.query(mark);
  const next = (await pool.query<Place & { canCount: boolean | null }>(uncounted)).rows[0];
  if (next?.canCount === true) return { ...next, act: 'counted', words: await count(pool, reader, next) };
  const chosen = (await pool.query<Sized>(due, [common.fromRecords])).rows[0];
  if (chosen !== undefined) return { ...chosen, act: 'chosen', words: await choose(pool, reader, chosen, common) };
  return next === undefined ? null : 'waiting';
}

async function choose(pool: Pool, reader: Queryable, { tenantId, resource, count: total }: Sized, common: CommonWords) {
  const { fromRecords, fromHits } = common;
  if (total < fromRecords / 2) {
    await changing(pool, tenantId, async (client) => {
      for (const table of ['word_total', 'word_choice']) await client.query(`DELETE FROM ${table} WHERE ${own(resource)}`, [tenantId]); // prettier-ignore
    });
    return 0;
  }
  const percent = Math.min(100, (100 * sampled) / total);
  const { rows } = await reader.query<{ words: string }>(candidates(resource), [tenantId, percent, fromHits, total]);
  await changing(pool, tenantId, async (client) => {
    await client.query(setTotals(resource), [tenantId, rows.map(({ words }) => words)]);
    await client.query(setChoice(resource), [tenantId, total]);
  });
  return rows.length;
}

async function count(pool: Pool, reader: Queryable, { tenantId, resource }: Place) {
  const { rows } = await reader.query<{ words: string; count: number }>(missing(resource), [tenantId]);
  const values = [rows.map(({ words }) => words), rows.map((row) => row.count)];
  await changing(pool, tenantId, (client) => client.query(complete(resource), [tenantId, ...values]));
  return rows.length;
}

async function changing(pool: Pool, tenantId: number, work: (client: Queryable) => Promise<unknown>): Promise<void> {
  await inTransaction(pool, async (client) => {
    await lockWordTotals(client, tenantId);
    await work(client);
  });
}
