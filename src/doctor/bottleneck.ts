import type pg from 'pg';
import type { Config } from '../config/config.ts';
import type { Finding } from './finding.ts';
import { processesRunning } from './work.ts';

/** Limits that were measured on two cores (docs/scale.md); beyond them, a part is slow. */
export const measuredLimits = {
  /** Records of a tenant up to which PostgreSQL ranks the matches of several common words within a second. */
  ranked: 500_000,
  /** Records of a tenant up to which searches end before DATABASE_TIMEOUT. */
  searched: 10_000_000,
  /** Photographs that a thread analyzes per second, and how long new ones may wait. */
  analyzedInSecond: 2,
  waitSeconds: 3_600,
  /** Fraction of pages that PostgreSQL reads from outside its shared_buffers. */
  missed: 0.05,
} as const;

/** Bytes of an image in the in-memory index. */
export const imageBytes = 358;
/** Pictures in a chunk of analysis: `elementsOfChunk` of the operations, which this folder does not import. */
export const chunkPictures = 8;
/** Minimum number of pages for a meaningful miss rate; with fewer, the server has only just started. */
const fewestPages = 1_000_000;
/** Fraction of a limit at which its remedy is due. */
const near = 0.8;

type Figures = Readonly<
  Record<'largest' | 'inMemory' | 'chunks' | 'workers' | 'used' | 'most' | 'hit' | 'missed', number>
>;

const figures = `
  SELECT (SELECT coalesce(max(count), 0) FROM record_total)::float8 AS largest,
         (SELECT coalesce(sum(count), 0) FROM record_total WHERE resource = 'image' AND count < $1)::float8 AS "inMemory",
         (SELECT count(*) FROM operation_analysis)::float8 AS chunks,
         ${processesRunning}::float8 AS workers,
         (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::float8 AS used,
         current_setting('max_connections')::float8 AS most, blks_hit::float8 AS hit, blks_read::float8 AS missed
  FROM pg_stat_database WHERE datname = current_database()`;

/** How much of a limit is used (1 is all of it), what uses it, and what raises it. */
type Use = Readonly<{ share: number; what: string; remedy: string }>;

type Settings = Pick<Config, 'meili' | 'similarity' | 'similarityBytes' | 'workers'>;

/** The part of the installation that is closest to its limit, by current figures from the database. */
export async function findBottleneck(client: pg.Client, settings: Settings): Promise<Finding> {
  const { mode, databaseFrom } = settings.similarity;
  const below = { memory: Number.MAX_SAFE_INTEGER, auto: databaseFrom, database: 0 }[mode];
  const { rows } = await client.query<Figures>(figures, [below]);
  const [first] = usesOf(rows[0] as Figures, settings).toSorted((a, b) => b.share - a.share) as [Use, ...Use[]];
  const { share, what, remedy } = first;
  const text = `the next bottleneck is ${what}: ${Math.round(share * 100)} % of the measured maximum`;
  if (share < near) return { subject: 'bottleneck', state: 'ok', text };
  return { subject: 'bottleneck', state: 'note', text, remedy };
}

const inWords = (count: number) => count.toLocaleString('en-US');

function usesOf(
  { largest, inMemory, chunks, workers, used, most, hit, missed }: Figures,
  { meili, similarityBytes, workers: threads }: Settings,
): Use[] {
  const pages = hit + missed;
  const waiting = chunks * chunkPictures;
  const seconds = waiting / (measuredLimits.analyzedInSecond * Math.max(1, workers) * threads);
  return [
    ...(meili === null ? [rankingOf(largest)] : []),
    {
      share: largest / measuredLimits.searched,
      what: `the size of the largest tenant, ${inWords(largest)} records`,
      remedy: 'Use several databases: docs/scale.md.',
    },
    {
      share: (inMemory * imageBytes) / similarityBytes,
      what: `memory for similarity of ${inWords(inMemory)} images in each process that searches`,
      remedy: 'Raise SIMILARITY_MEMORY, or set SIMILARITY=database.',
    },
    {
      share: seconds / measuredLimits.waitSeconds,
      what: `analysis, for which ${inWords(waiting)} pictures wait`,
      remedy: 'Add workers on other machines, or set analysis=off for some tenants.',
    },
    {
      share: used / most,
      what: `connections to PostgreSQL, ${used} of ${most}`,
      remedy: 'Set DATABASE_CONNECTIONS lower, or use PgBouncer.',
    },
    {
      share: pages < fewestPages ? 0 : missed / pages / measuredLimits.missed,
      what: `memory of PostgreSQL, which reads ${((100 * missed) / Math.max(1, pages)).toFixed(1)} % of its pages from outside it`,
      remedy: 'Raise shared_buffers to a quarter of the memory of its machine, or add memory.',
    },
  ];
}

function rankingOf(largest: number): Use {
  return {
    share: largest / measuredLimits.ranked,
    what: `ranking by PostgreSQL, with ${inWords(largest)} records of a tenant`,
    remedy: 'Use Meilisearch: MEILI_URL.',
  };
}
