import { setTimeout as sleep } from 'node:timers/promises';
import type { ImageAnalyzer } from '../../analysis/index.ts';
import type { Database } from '../../backing/index.ts';
import { repeat } from '../../lib/repeat.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Placement } from '../index/search-index.ts';
import { buildVectorIndexes } from './build-vectors.ts';
import { fillNext } from './fill-index.ts';
import { modelOf } from '../references/image-signature.ts';
import { fromImages } from './limits.ts';
import { rebuildParts } from './rebuild-parts.ts';
import { switchModels } from './switch-models.ts';

/** How often to check for tenants that have grown. */
const everyMs = 30_000;
/** How long to wait for transactions that were running when an index was started. */
const waitMs = 200;
/** How long closing waits for a statement to be canceled. */
const closeMs = 5_000;
/** Minimum time between two reports of progress. */
const reportMs = 10_000;

export type FingerprintIndexer = Readonly<{ close(): Promise<void> }>;

type IndexerDeps = Readonly<{ database: Database; logger: Logger; placement: Placement }>;
type SwitchDeps = IndexerDeps & Readonly<{ imageAnalyzer: ImageAnalyzer }>;

/**
 * Fills and builds the database indexes of tenants that need them, in the background. In mode `memory`, there are
 * none.
 */
export function startFingerprintIndexer(deps: IndexerDeps): FingerprintIndexer {
  const { database, logger, placement } = deps;
  if (placement.mode === 'memory') return inBackground([], logger);
  const fill = async (signal: AbortSignal) => {
    await fillIndexes(database, placement, logger, signal);
    await rebuildParts({ database, logger, signal });
  };
  // Concurrently, because building vectors may take hours.
  return inBackground([fill, vectorBuilder(deps)], logger);
}

/** Switches searches to vectors of the current model, for tenants whose records all have one. */
export function startModelSwitch({ database, logger, placement, imageAnalyzer }: SwitchDeps): FingerprintIndexer {
  const model = modelOf(imageAnalyzer);
  if (model === null) return inBackground([], logger);
  const work = async (signal: AbortSignal) => {
    const isInMemory = placement.mode === 'memory';
    const switched = await switchModels(database, { model, signature: imageAnalyzer.signature, isInMemory }, signal);
    for (const each of switched) logger.info({ ...each, model }, 'vectors of another model are searched');
  };
  return inBackground([work], logger);
}

type Work = (signal: AbortSignal) => Promise<void>;

/** Runs each task repeatedly, concurrently with the others. */
function inBackground(works: readonly Work[], logger: Logger): FingerprintIndexer {
  const onError = (error: unknown) =>
    logger.warn({ error: String(error) }, 'cannot bring fingerprints in the database up to date');
  const stops = works.map((work) => repeat(work, everyMs, onError));
  return {
    async close() {
      // A server that does not respond will not notice the cancellation either.
      await Promise.race([Promise.all(stops.map((stop) => stop())), sleep(closeMs, null, { ref: false })]);
    },
  };
}

/** Returns a task that builds missing vector indexes. If it cannot, it logs the reason whenever that changes. */
function vectorBuilder({ database, logger, placement }: IndexerDeps): Work {
  const checked = new Map<number, number>();
  let reported: string | null = null;
  return async (signal) => {
    const { fault } = await buildVectorIndexes({ database, logger, placement, signal, checked });
    if (fault !== null && fault !== 'missing' && fault !== 'busy' && fault !== reported) {
      logger.warn({ fault }, 'vectors cannot be indexed in the database; see vitrine doctor');
    }
    reported = fault;
  };
}

/** Fills the indexes of all tenants that need one, unless another process does it. */
export async function fillIndexes(
  database: Database,
  placement: Placement,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const from = fromImages(placement);
  let reported = 0;
  while (!signal.aborted) {
    const step = await fillNext(database, from);
    if (step === null) return;
    if (step === 'waiting') {
      await pause(waitMs, signal);
      continue;
    }
    const { tenantId, filled, total, isReady } = step;
    if (!isReady && Date.now() - reported < reportMs) continue;
    reported = Date.now();
    const message = isReady ? 'fingerprints are searched in the database' : 'fingerprints are copied to their index';
    logger.info({ tenantId, filled, total }, message);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, null, { signal, ref: false }).catch(() => {}); // Closing.
}
