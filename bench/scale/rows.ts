import { Agent } from 'node:http';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { getOnce, median } from '../measure.ts';
import { residentMiB } from '../processes.ts';
import type { RunningServer } from '../processes.ts';
import { facets, queries } from '../searching/queries.ts';
import type { World } from '../world.ts';
import { makePictures, ourSeconds } from '../writing.ts';
import { measureMeilisearch } from './meilisearch.ts';
import { measureSimilarity } from './similarity.ts';

/** A catalog of one size, and the service on it. */
export type Catalog = Readonly<{ world: World; size: number; service: RunningServer; loadSeconds: number }>;

/** What is measured: figures of one catalog, by row; none where something for it is not there. */
export type Measure = (catalog: Catalog) => Promise<Readonly<Record<string, number>>>;

/** Rows of the table: what they are called, in which unit, and whether they are of each record and so known to grow with their number. */
export const rows: Readonly<Record<string, Readonly<{ what: string; unit: string; isOfEach?: true }>>> = {
  load: { what: 'loaded in bulk, through all triggers, then indexed', unit: 's' },
  store: { what: 'stored by the service: 10 000 tiny files', unit: 's' },
  get: { what: '`GET /imgs/{id}`', unit: 'ms' },
  selective: { what: 'the slowest of seven searches with few hits', unit: 'ms' },
  broad: { what: 'the slowest of thirteen searches with many hits', unit: 'ms' },
  countAll: { what: 'count of everything', unit: 'ms' },
  countWord: { what: 'count of a word in 45 % of all', unit: 'ms' },
  facets: { what: 'five facets over everything', unit: 'ms' },
  table: { what: 'table of images, without analysis', unit: 'MB', isOfEach: true },
  indexes: { what: 'its indexes', unit: 'MB', isOfEach: true },
  process: { what: 'process that answers and works', unit: 'MB' },
  memory: { what: 'similarity: index in memory', unit: 'MB', isOfEach: true },
  same: { what: '`i==` against all hashes', unit: 'ms' },
  alike: { what: '`i~` against all vectors', unit: 'ms' },
  groups: { what: 'all groups of duplicates', unit: 's' },
  told: { what: 'sent to Meilisearch', unit: 's' },
  engine: { what: 'Meilisearch on disk', unit: 'MB', isOfEach: true },
};

/** Runs of each question; the least counts, for what else the machine does only adds. */
const rounds = 6;

/** Parts of the table, in the order in which they are measured. */
export const measures = {
  load: async ({ loadSeconds }) => ({ load: loadSeconds }),
  searches: measureSearches,
  disk: measureDisk,
  meilisearch: measureMeilisearch,
  storing: measureStoring,
  process: async ({ service }) => ({ process: residentMiB(service.pid) }),
  similarity: ({ size }) => measureSimilarity(size),
} as const satisfies Readonly<Record<string, Measure>>;

export type Part = keyof typeof measures;

export function isPart(name: string): name is Part {
  return Object.hasOwn(measures, name);
}

async function measureSearches({ service, world, size }: Catalog): Promise<Record<string, number>> {
  const agent = new Agent({ keepAlive: true });
  const leastOf = async (paths: readonly string[]) => {
    const least = paths.map(() => Infinity);
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, path] of paths.entries()) {
        const began = performance.now();
        await getOnce(service.url + path, world.key, agent);
        least[index] = Math.min(least[index] ?? Infinity, performance.now() - began);
      }
    }
    return least;
  };
  const pathOf = ({ q, sortBy }: (typeof queries)[number]) =>
    `/imgs?q=${encodeURIComponent(q)}&sort_by=${sortBy}&sort_order=desc`;
  const records = Array.from({ length: 50 }, (_, n) => `/imgs/image-${Math.floor((n * size) / 50)}`);
  const selective = queries.filter(({ isSelective }) => isSelective).map(pathOf);
  const broad = queries.filter(({ isSelective }) => !isSelective).map(pathOf);
  const named = Object.keys(facets).map((name) => `facets=${name}`);
  const [countAll = 0, countWord = 0, fiveFacets = 0] = await leastOf([
    '/imgs?limit=1&count=true',
    '/imgs?limit=1&q=vista&sort_by=image_id&count=true',
    `/imgs?limit=1&${named.join('&')}`,
  ]);
  const figures = {
    get: median(await leastOf(records)),
    selective: Math.max(...(await leastOf(selective))),
    broad: Math.max(...(await leastOf(broad))),
    countAll,
    countWord,
    facets: fiveFacets,
  };
  agent.destroy();
  return figures;
}

async function measureDisk({ world }: Catalog): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  const { rows: sizes } = await client.query<{ table: number; indexes: number }>(
    `SELECT pg_table_size('image')::float8 / 1e6 AS table, pg_indexes_size('image')::float8 / 1e6 AS indexes`,
  );
  await client.end();
  return { ...sizes[0] };
}

/** The first batch warms up. */
async function measureStoring({ service, world }: Catalog): Promise<Record<string, number>> {
  const names = await makePictures(join(world.folder, 'media'));
  await ourSeconds(service.url, world.key, names, 0);
  return { store: (await ourSeconds(service.url, world.key, names, 1)).totalSeconds };
}
