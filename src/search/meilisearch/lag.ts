import type { Database } from '../../backing/index.ts';
import { resources } from '../../catalog/index.ts';
import type { Resource } from '../../catalog/index.ts';
import { settingsDigest } from './attributes.ts';

/** How far Meilisearch is behind PostgreSQL. */
export type MeilisearchLag = Readonly<{
  /** Number of records to be sent; counting stops at a hundred thousand. */
  pending: number;
  /** Number of records that Meilisearch refused; their tenants are answered by PostgreSQL. */
  refused: number;
  /** Age of the oldest change that it lacks, in seconds; 0 if it lacks none. */
  lagSeconds: number;
  indexes: readonly Readonly<{
    resource: Resource;
    /** Whether it can be queried: it contains everything, with the settings of this version. */
    isReady: boolean;
    /** Whether it is waiting to be rebuilt, or being rebuilt. */
    isRebuilding: boolean;
    /** While an index is filled: records sent so far, and the total. */
    filling: Readonly<{ filled: number; of: number }> | null;
  }>[];
}>;

const mostCounted = 100_000;

type IndexRow = Readonly<{
  resource: Resource;
  settings: string | null;
  isRequested: boolean;
  nextUid: string | null;
  filled: number;
  toFill: number;
}>;

/** Returns how much is still to be indexed; for `/ready`, metrics and `vitrine reindex`. */
export async function meilisearchLag({ pool }: Database): Promise<MeilisearchLag> {
  const [changes, indexes] = await Promise.all([
    pool.query<{ pending: number; refused: number; lag: number | null }>(
      `SELECT (SELECT count(*) FROM (SELECT FROM search_outbox WHERE error IS NULL LIMIT ${mostCounted}) AS first) AS pending,
         (SELECT count(*) FROM (SELECT FROM search_outbox WHERE error IS NOT NULL LIMIT ${mostCounted}) AS first) AS refused,
         (SELECT extract(epoch FROM now() - changed_at)::float8 FROM search_outbox WHERE error IS NULL
          ORDER BY changed_at LIMIT 1) AS lag`,
    ),
    pool.query<IndexRow>(
      `SELECT resource, CASE WHEN uid IS NOT NULL THEN settings END AS settings, next_uid AS "nextUid", filled,
         is_rebuild_requested AS "isRequested",
         to_fill AS "toFill" FROM search_index`,
    ),
  ]);
  const { pending = 0, refused = 0, lag = null } = changes.rows[0] ?? {};
  return {
    pending,
    refused,
    lagSeconds: Math.max(0, lag ?? 0),
    indexes: resources.map((resource) => {
      const row = indexes.rows.find((each) => each.resource === resource);
      const isReady = row?.settings === settingsDigest[resource];
      const filling = row?.nextUid == null ? null : { filled: row.filled, of: row.toFill };
      return { resource, isReady, isRebuilding: row?.isRequested === true || filling !== null, filling };
    }),
  };
}

/** Requests that the Meilisearch indexes be rebuilt from PostgreSQL; the old ones are queried until then. */
export async function askForRebuild({ pool }: Database, wanted: readonly Resource[]): Promise<void> {
  await pool.query('UPDATE search_index SET is_rebuild_requested = true WHERE resource = ANY ($1)', [wanted]);
}

/** Whether any rebuild requested for these indexes is still unfinished. */
export async function isRebuilding({ pool }: Database, wanted: readonly Resource[]): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM search_index WHERE resource = ANY ($1) AND (is_rebuild_requested OR next_uid IS NOT NULL OR uid IS NULL) LIMIT 1`,
    [wanted],
  );
  return rowCount !== 0;
}
