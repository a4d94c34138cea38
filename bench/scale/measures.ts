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
import type { Figures } from './rows.ts';
import { measureSimilarity } from './similarity.ts';

/** A catalog of one size, and the service on it. */
export type Catalog = Readonly<{ world: World; size: number; service: RunningServer; loadSeconds: number }>;

/** A measurement: figures of one catalog, by row; empty if something that it needs is missing. */
export type Measure = (catalog: Catalog) => Promise<Figures>;

/** Number of runs of each query. The minimum counts, since everything else that the machine does only adds time. */
const roundsAt = (size: number) => (size > 1_000_000 ? 3 : 6);

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

async function measureSearches({ service, world, size }: Catalog): Promise<Figures> {
  const agent = new Agent({ keepAlive: true });
  const leastOf = async (paths: readonly string[]) => {
    const least = paths.map(() => Infinity);
    for (let round = 0; round < roundsAt(size); round += 1) {
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

async function measureDisk({ world }: Catalog): Promise<Figures> {
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  const { rows: sizes } = await client.query<{ table: number; indexes: number }>(
    `SELECT pg_table_size('image')::float8 / 1e6 AS table, pg_indexes_size('image')::float8 / 1e6 AS indexes`,
  );
  await client.end();
  return { ...sizes[0] };
}

/** The first batch warms up. */
async function measureStoring({ service, world }: Catalog): Promise<Figures> {
  const names = await makePictures(join(world.folder, 'media'));
  await ourSeconds(service.url, world.key, names, 0);
  return { store: (await ourSeconds(service.url, world.key, names, 1)).totalSeconds };
}
