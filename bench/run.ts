// npm run bench: prints figures as ratios to a bare baseline of the same run, because the machine's
// own speed drifts. `npm run bench -- reading` runs one part; `npm run bench -- searching 1000000` runs the part
// that is never run unasked, on as many records. `npm run bench -- analysis 2000` shows the memory of a worker over as many pictures.
// `npm run bench -- previews 100` makes so many previews while others search.
// `npm run bench -- uploads 1000` uploads so many files of 2 MB, which take three times their size; it is not run unasked.
// `npm run bench -- busy-machine` is about a machine that others keep busy; with `sessions` each of them in a session of its own.
// `npm run bench -- watching 500` changes so many of so many records, instead of 10 000 of 100 000; `client 500` reads them.
// `npm run bench -- ranking FOLDER` says how well `i~` ranks the photographs of a folder (ranking/README.md).
// `npm run bench -- filling 20000` imports so many records with their analyses, and copies the same lines into a bare table;
// with `details` also what a closer comparison needs, as in an export.
// `npm run bench -- scale 10000 100000 1000000` prints the table of docs/scale.md; with MEILI_URL also its last rows.
// `npm run bench -- peers` compares lists, counts and words with node:http, and with FastAPI where Python has it.
// `npm run bench -- similarity-database 1000000` searches so many fingerprints in the database; it is not run unasked.
// `npm run bench -- partitions 1000000` compares tables of so many rows with partitioned ones; it is not run unasked.
// `npm run bench -- meilisearch 1000000` is not run unasked either; MEILI_URL names the Meilisearch for it.
import process from 'node:process';
import { benchBusy } from './busy.ts';
import { benchHistory } from './history.ts';
import { benchFilling } from './filling.ts';
import { benchClient } from './client.ts';
import { benchBusyMachine } from './busy-machine.ts';
import { benchMeilisearch } from './meilisearch/index.ts';
import { benchOperations } from './operations.ts';
import { lendPgvector } from './pgvector.ts';
import { benchPartitions } from './partitions.ts';
import { benchPeers } from './peers/index.ts';
import { benchPreviews } from './previews.ts';
import { benchRanking } from './ranking/index.ts';
import { benchReading } from './reading.ts';
import { benchScale } from './scale/index.ts';
import { benchSearching } from './searching/index.ts';
import { benchSimilarity } from './similarity.ts';
import { benchSimilarityDatabase } from './similarity-database.ts';
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
  analysis: (world: World) => benchAnalysisProcess(world, chosen[0] === 'analysis' ? Number(chosen[1] ?? 60) : 60),
};

const isUploads = chosen[0] === 'uploads';
const isFilling = chosen[0] === 'filling';
const isSearching = chosen[0] === 'searching';
const isMeilisearch = chosen[0] === 'meilisearch';
const isSimilarityDatabase = chosen[0] === 'similarity-database';
const isRanking = chosen[0] === 'ranking';
const isPartitions = chosen[0] === 'partitions';
/** A catalog of just what is changed, to try the part. */
const isSmall = ['watching', 'client'].includes(chosen[0] ?? '') && chosen[1] !== undefined;
const isPeers = chosen[0] === 'peers';

async function benchOneWorld(): Promise<void> {
  const world = await openWorld(
    isFilling ||
      isSearching ||
      isMeilisearch ||
      isSimilarityDatabase ||
      isRanking ||
      isPeers ||
      isUploads ||
      isPartitions
      ? 0
      : ['analysis', 'busy-machine'].includes(chosen[0] ?? '')
        ? 1000
        : isSmall
          ? Number(chosen[1])
          : 100_000,
    isSimilarityDatabase ? lendPgvector : undefined,
  );
  try {
    if (isFilling)
      await benchFilling(world, { count: Number(chosen[1] ?? 20_000), hasDetails: chosen[2] === 'details' });
    if (isSearching) await benchSearching(world, Number(chosen[1] ?? 1_000_000));
    if (isMeilisearch) await benchMeilisearch(world, Number(chosen[1] ?? 1_000_000));
    if (isSimilarityDatabase) await benchSimilarityDatabase(world, Number(chosen[1] ?? 1_000_000));
    if (isRanking) await benchRanking(world, chosen[1] ?? '.', chosen[2] === undefined ? undefined : Number(chosen[2]));
    if (isUploads) await benchUploads(world, Number(chosen[1] ?? 1_000));
    if (isPartitions) await benchPartitions(world, Number(chosen[1] ?? 1_000_000));
    if (isPeers) await benchPeers(world, Number(chosen[1] ?? 100_000));
    for (const [name, bench] of Object.entries(parts)) {
      if (chosen.length === 0 || chosen.includes(name)) await bench(world);
    }
  } finally {
    await world.close();
  }
}

// Each size has a world of its own.
await (chosen[0] === 'scale'
  ? benchScale(chosen.length > 1 ? chosen.slice(1).map(Number) : undefined)
  : benchOneWorld());
