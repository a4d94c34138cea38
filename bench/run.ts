// npm run bench: prints figures as ratios to a bare baseline of the same run, because the machine's own speed drifts.
// `npm run bench -- reading` runs one part. Parts marked (on request) run only if they are named:
// `npm run bench -- searching 1000000` runs on as many records (on request).
// `npm run bench -- analysis 2000` shows the memory of a worker over as many pictures.
// `npm run bench -- previews 100` makes this many previews while others search.
// `npm run bench -- uploads 1000` uploads this many files of 2 MB, which take three times their size (on request).
// `npm run bench -- busy-machine` is about a machine that others keep busy; with `sessions` each has a separate session.
// `npm run bench -- watching 500` changes all of this many records, instead of 10 000 of 100 000; `client 500` reads them.
// `npm run bench -- ranking FOLDER` tells how well `i~` ranks the photographs of a folder (ranking/README.md).
// `npm run bench -- filling 20000` imports this many analyzed records, and copies the same lines into a bare table;
// with `details` also the details for a closer comparison, as in an export.
// `npm run bench -- scale 10000 100000 1000000` prints the table of docs/scale.md; with MEILI_URL also its last rows;
// `scale 10000000 searches disk` only these parts of it, and BENCH_KEEP=FOLDER keeps the catalogs for another run.
// `npm run bench -- plan 50000000 10000 20` tells what pictures, new ones per day and searches per second need.
// `npm run bench -- peers` compares lists, counts and words with node:http, and with FastAPI if Python has it.
// `npm run bench -- similarity-database 1000000` searches this many fingerprints in the database (on request);
// `similarity-database 10000000 hashes` or `vectors` does so with only these; BENCH_KEEP=FOLDER keeps them for another run.
// `npm run bench -- partitions 1000000` compares tables of this many rows with partitioned ones (on request).
// `npm run bench -- meilisearch 1000000` needs MEILI_URL, the address of a Meilisearch (on request).
// `npm run bench -- meilisearch-servers 150000` compares three servers of its own with one; the program must be on PATH.
import process from 'node:process';
import { benchBusy } from './busy.ts';
import { benchHistory } from './history.ts';
import { benchFilling } from './filling.ts';
import { benchClient } from './client.ts';
import { benchBusyMachine } from './busy-machine.ts';
import { benchMeilisearch } from './meilisearch/index.ts';
import { benchMembers } from './meilisearch/members.ts';
import { benchOperations } from './operations.ts';
import { lendPgvector } from './pgvector.ts';
import { benchPartitions } from './partitions.ts';
import { benchPeers } from './peers/index.ts';
import { printPlan } from './plan/index.ts';
import { benchPreviews } from './previews.ts';
import { benchRanking } from './ranking/index.ts';
import { benchReading } from './reading.ts';
import { benchScale } from './scale/index.ts';
import { benchSearching } from './searching/index.ts';
import { benchSimilarity } from './similarity.ts';
import { benchSimilarityDatabase, settingsOfBuild } from './similarity-database.ts';
import { benchAnalysisProcess } from './analysis.ts';
import { benchStarting } from './starting.ts';
import { benchUploads } from './uploads.ts';
import { benchWatching } from './watching.ts';
import { benchWorkers } from './workers.ts';
import { benchWriting } from './writing.ts';
import { openWorld } from './world.ts';
import type { World } from './world.ts';

const chosen = process.argv.slice(2);
const parts = {
  reading: benchReading,
  client: benchClient,
  writing: benchWriting,
  operations: benchOperations,
  history: benchHistory,
  watching: (world: World) => benchWatching(world, chosen[0] === 'watching' ? Number(chosen[1] ?? 10_000) : 10_000),
  busy: benchBusy,
  previews: (world: World) => benchPreviews(world, chosen[0] === 'previews' ? Number(chosen[1] ?? 1000) : 1000),
  workers: (world: World) => benchWorkers(world, chosen[0] === 'workers' ? Number(chosen[1] ?? 60) : 60),
  starting: benchStarting,
  similarity: benchSimilarity,
  'busy-machine': (world: World) => benchBusyMachine(world, chosen[1] === 'sessions'),
  analysis: (world: World) => benchAnalysisProcess(world, chosen[0] === 'analysis' ? Number(chosen[1] ?? 300) : 300),
};

const size = (usual: number) => Number(chosen[1] ?? usual);
/** Parts that start with an empty catalog; they run only on request. */
const onEmpty: Readonly<Record<string, (world: World) => Promise<void>>> = {
  filling: (world) => benchFilling(world, { count: size(20_000), hasDetails: chosen[2] === 'details' }),
  searching: (world) => benchSearching(world, size(1_000_000)),
  meilisearch: (world) => benchMeilisearch(world, size(1_000_000)),
  'meilisearch-servers': (world) => benchMembers(world, size(150_000)),
  'similarity-database': (world) => benchSimilarityDatabase(world, size(1_000_000), chosen[2]),
  ranking: (world) => benchRanking(world, chosen[1] ?? '.', chosen[2] === undefined ? undefined : Number(chosen[2])),
  uploads: (world) => benchUploads(world, size(1_000)),
  partitions: (world) => benchPartitions(world, size(1_000_000)),
  peers: (world) => benchPeers(world, size(100_000)),
};

/** Number of records in the catalog that the chosen parts start with. */
function recordsFor(first: string): number {
  if (first in onEmpty) return 0;
  if (first === 'analysis' || first === 'busy-machine') return 1000;
  // Just the records that are changed, for trying the part.
  return first === 'watching' || first === 'client' ? size(100_000) : 100_000;
}

async function benchOneWorld(): Promise<void> {
  const [first = ''] = chosen;
  const settings = (folder: string) => [...lendPgvector(folder), ...settingsOfBuild(size(1_000_000))];
  const isKept = first === 'similarity-database';
  const world = isKept ? await openWorld(0, settings, process.env['BENCH_KEEP']) : await openWorld(recordsFor(first));
  try {
    await onEmpty[first]?.(world);
    for (const [name, bench] of Object.entries(parts)) {
      if (chosen.length === 0 || chosen.includes(name)) await bench(world);
    }
  } finally {
    await world.close();
  }
}

// Each size has a separate world.
if (chosen[0] === 'plan') printPlan(chosen.slice(1));
else await (chosen[0] === 'scale' ? benchScale(chosen.slice(1)) : benchOneWorld());
