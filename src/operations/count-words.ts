import type { Queryable } from '../backing/index.ts';
import { lockKeys, runExclusively } from '../backing/index.ts';
import { commonWords, hasWordStep, takeWordStep } from '../catalog/index.ts';
import type { CommonWords } from '../catalog/index.ts';
import { repeat } from '../lib/repeat.ts';
import { createFaultReporter } from './run/report-fault.ts';
import type { WorkerDeps } from './worker-deps.ts';

/** Milliseconds between checks for tenants that have become large, and for transactions that have ended. */
const everyMs = 10_000;

type CountingDeps = Pick<WorkerDeps, 'database' | 'logger'>;

type WordCounting = Readonly<{ close(): Promise<void> }>;

/** Repeatedly chooses the common words of large tenants and counts the records that contain them. */
export function startCountingWords(deps: CountingDeps): WordCounting {
  const work = (signal: AbortSignal) => countCommonWords(deps, signal);
  return { close: repeat(work, everyMs, createFaultReporter(deps, 'cannot count common words')) };
}

/** Takes every step that is possible now, on a connection of its own; none while another process is at it. */
export async function countCommonWords(
  { database, logger }: CountingDeps,
  signal: AbortSignal,
  common: CommonWords = commonWords,
): Promise<void> {
  if (!(await hasWordStep(database, common))) return;
  const work = (client: Queryable) => takeSteps({ database, logger }, client, { signal, common });
  await runExclusively({ database, signal, lockKey: lockKeys.countWords, work });
}

async function takeSteps(
  { database, logger }: CountingDeps,
  client: Queryable,
  { signal, common }: Readonly<{ signal: AbortSignal; common: CommonWords }>,
): Promise<void> {
  // PostgreSQL cannot estimate how many words a record has, and would sort all of them instead of looking them up in
  // a short list. One core is enough: searches need the others.
  await client.query('SET enable_mergejoin = off; SET max_parallel_workers_per_gather = 0');
  while (!signal.aborted) {
    const began = performance.now();
    const step = await takeWordStep(database, client, common);
    if (step === null || step === 'waiting') return;
    const seconds = Math.round((performance.now() - began) / 1000);
    logger.info({ ...step, seconds }, 'counts of common words are kept');
  }
}
