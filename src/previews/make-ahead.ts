import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../backing/index.ts';
import type { StoredFiles } from '../catalog/index.ts';
import type { Answers } from '../lib/answers.ts';
import type { Logger } from '../observability/logger.ts';
import { forTenant } from '../tenants/index.ts';
import { findShown } from './find-picture.ts';
import type { PreviewWidth } from './ladder.ts';
import type { WantedAhead } from './make-preview.ts';

/** What is made: a picture in a list, and a large one. */
const widths: readonly PreviewWidth[] = [320, 1280];
const format = 'webp';
/** Records that wait at most; previews of further ones are made when they are asked for. */
const mostWaiting = 20_000;
/** How often it is looked whether something is still answered. */
const pollMs = 50;

export type AheadDeps = Readonly<{
  database: Database;
  answers: Answers;
  logger: Logger;
  makeAhead: (wanted: WantedAhead) => Promise<void>;
}>;

/** Makes previews in the background, one record at a time, while this process answers nothing. */
export function startMakingAhead({ database, answers, logger, makeAhead }: AheadDeps) {
  const waiting: StoredFiles[] = [];
  const closing = new AbortController();
  const { signal } = closing;
  let count = 0;
  let working: Promise<void> | null = null;

  /** Whether it was closed meanwhile. */
  async function untilIdle(): Promise<boolean> {
    while (answers.running > 0 && !signal.aborted) await sleep(pollMs);
    return signal.aborted;
  }

  async function work(): Promise<void> {
    for (let records = waiting.shift(); records !== undefined; records = waiting.shift()) {
      const { tenantId, resource, ids } = records;
      for (const shown of await findShown(forTenant(database, tenantId), resource, ids)) {
        if (await untilIdle()) return;
        // Why it cannot be made is said to those who ask for it.
        await makeAhead({ shown, widths, format, signal }).catch(() => {});
      }
      count -= ids.length;
    }
  }

  return {
    add(records: StoredFiles): void {
      if (signal.aborted || count + records.ids.length > mostWaiting) return;
      count += records.ids.length;
      waiting.push(records);
      working ??= work()
        .catch((error: unknown) => logger.warn({ reason: String(error) }, 'previews could not be made ahead'))
        .finally(() => (working = null));
    },
    /** Resolves when nothing is being made any more. */
    async close(): Promise<void> {
      closing.abort();
      await working;
    },
  };
}
