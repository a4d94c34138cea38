import type { Queryable } from '../backing/index.ts';
import { cancelOn } from '../backing/index.ts';
import { commonWords, hasWordStep, takeWordStep } from '../catalog/index.ts';
import type { CommonWords } from '../catalog/index.ts';
import { repeat } from './repeat.ts';
import { createFaultReporter } from './run/report-fault.ts';
import type { WorkerDeps } from './worker-deps.ts';

/** Milliseconds between checks for tenants that have become large, and for transactions that have ended. */
const everyMs = 10_000;

/** Arbitrary key of an advisory lock that none of our other locks uses. */
const lockKey = 7_261_150_335;

type CountingDeps = Pick<WorkerDeps, 'database' | 'logger'>;

export type WordCounting = Readonly<{ close(): Promise<void> }>;

/** Repeatedly chooses the common words of large tenants and counts the records that contain them. */
export function startCountingWords(deps: CountingDeps): WordCounting {
  const work = (signal: AbortSignal) => countCommonWords(deps, signal);
  return { close: repeat(work, everyMs, createFaultReporter(deps, 'cannot count common words')) };
}

/** Takes all steps that are possible now, on a separate connection; none while another process takes steps. */
export async function countCommonWords(
  { database, logger }: CountingDeps,
  signal: AbortSignal,
  common: CommonWords = commonWords,
): Promise<void> {
  if (!(await hasWordStep(database, common))) return;
  const client = await database.connect();
  const stopCanceling = await cancelOn(signal, client, database);
  try {
    // PostgreSQL does not know how many words records have, and would sort all of them instead of looking them up in a
    // short list. One processor is enough: searches need the others.
    await client.query(
      'SET statement_timeout = 0; SET enable_mergejoin = off; SET max_parallel_workers_per_gather = 0',
    );
    const { rows } = await client.query<{ got: boolean }>('SELECT pg_try_advisory_lock($1) AS got', [lockKey]);
    if (rows[0]?.got === true) await takeSteps({ database, logger }, client, { signal, common });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stopCanceling();
    await client.end();
  }
}

async function takeSteps(
  { database, logger }: CountingDeps,
  client: Queryable,
  { signal, common }: Readonly<{ signal: AbortSignal; common: CommonWords }>,
): Promise<void> {
  while (!signal.aborted) {
    const began = performance.now();
    const step = await takeWordStep(database, client, common);
    if (step === null || step === 'waiting') return;
    const seconds = Math.round((performance.now() - began) / 1000);
    logger.info({ ...step, seconds }, 'counts of common words are kept');
  }
}
