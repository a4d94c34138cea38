import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../backing/index.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Placement } from '../index/search-index.ts';
import { fillNext } from './fill-index.ts';

/** How often tenants that have grown are looked for. */
const everyMs = 30_000;
/** Until transactions have ended that were running when an index began. */
const waitMs = 200;
/** Between two reports of progress. */
const reportMs = 10_000;
/** With `database`, a tenant of fewer images is read as fast without an index: it is one page. */
const fewestImages = 10_000;

export type FingerprintIndexer = Readonly<{ close(): Promise<void> }>;

/** Fills the indexes in the database of tenants that need one, in the background; with `memory` none. */
export function startFingerprintIndexer({
  database,
  logger,
  placement,
}: Readonly<{ database: Database; logger: Logger; placement: Placement }>): FingerprintIndexer {
  const closing = new AbortController();
  const running = placement.mode === 'memory' ? Promise.resolve() : run(database, logger, placement, closing.signal);
  return {
    async close() {
      closing.abort();
      await running;
    },
  };
}

async function run(database: Database, logger: Logger, placement: Placement, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await fillIndexes(database, placement, logger, signal).catch((error: unknown) =>
      logger.warn({ error: String(error) }, 'cannot fill the index of fingerprints in the database'),
    );
    await pause(everyMs, signal);
  }
}

/** Fills the indexes of all tenants that need one, as far as nobody else does. */
export async function fillIndexes(
  database: Database,
  placement: Placement,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const from = placement.mode === 'database' ? fewestImages : placement.databaseFrom;
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
