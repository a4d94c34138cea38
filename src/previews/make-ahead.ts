import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../backing/index.ts';
import type { StoredFiles } from '../catalog/index.ts';
import type { Answers } from '../lib/answers.ts';
import type { Logger } from '../observability/logger.ts';
import { forTenant } from '../tenants/index.ts';
import { findShown } from './find-picture.ts';
import type { PreviewWidth } from './ladder.ts';
import { makeMs } from './make-preview.ts';
import type { WantedAhead } from './make-preview.ts';

/** The widths that are made: a picture in a list, and a large one. */
const widths: readonly PreviewWidth[] = [320, 1280];
const format = 'webp';
/** Maximum number of waiting records; previews of others are made on request. */
const mostWaiting = 20_000;
/** Milliseconds between checks whether requests are still being answered. */
const pollMs = 50;

type AheadDeps = Readonly<{
  database: Database;
  answers: Answers;
  logger: Logger;
  makeAhead: (wanted: WantedAhead) => Promise<void>;
}>;

/** Makes previews in the background, one record at a time, while this process answers no requests. */
export function startMakingAhead({ database, answers, logger, makeAhead }: AheadDeps) {
  const waiting: StoredFiles[] = [];
  /** For the record at work. Not one for all, because Node would retain every signal derived from it. */
  let current = new AbortController();
  let isClosed = false;
  let count = 0;
  let working: Promise<void> | null = null;

  async function untilIdle(): Promise<void> {
    while (answers.running > 0 && !isClosed) await sleep(pollMs);
  }

  async function makeAll({ tenantId, resource, ids }: StoredFiles): Promise<void> {
    for (const shown of await findShown(forTenant(database, tenantId), resource, ids)) {
      await untilIdle();
      if (isClosed) return;
      current = new AbortController();
      const signal = AbortSignal.any([current.signal, AbortSignal.timeout(makeMs)]);
      // A client that requests the preview is told why it cannot be made.
      await makeAhead({ shown, widths, format, signal }).catch(() => {});
    }
  }

  async function work(): Promise<void> {
    for (let records = waiting.shift(); records !== undefined && !isClosed; records = waiting.shift()) {
      await makeAll(records).catch((error: unknown) =>
        logger.warn({ reason: String(error) }, 'previews could not be made ahead'),
      );
      count -= records.ids.length;
    }
    working = null;
  }

  return {
    add(records: StoredFiles): void {
      if (isClosed || count + records.ids.length > mostWaiting) return;
      count += records.ids.length;
      waiting.push(records);
      working ??= work();
    },
    /** Resolves when nothing is being made anymore. */
    async close(): Promise<void> {
      isClosed = true;
      current.abort();
      await working;
    },
  };
}
