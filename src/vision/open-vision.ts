import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { ElementError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { packageRoot } from '../package-root.ts';
import type { Analysis, AnalysisRequest } from './analysis.ts';
import { NoStartError, ProcessEndedError, SeeingProcess } from './seeing/ask.ts';

/** The built program: Node runs no TypeScript. */
const builtProgram = join(packageRoot, 'dist/src/vision/seeing/process.js');
const usualTimes = {
  /** After so long without work the process ends and gives its models' memory back. */
  idleMs: 30_000,
  /** How long those who find that it cannot start wait before they try again; then they give up. */
  startPausesMs: [200, 1_000, 5_000] as readonly number[],
};

export type VisionOptions = Readonly<{
  /** Threads that analyse at the same time. */
  threads: number;
  /** Folder with more languages of lettering, as `<code>.traineddata`. */
  tessdataDir?: string | undefined;
  logger: Logger;
}>;

export type Vision = Readonly<{
  /**
   * Decodes the picture once and runs the wanted analysers on it, each for itself: one that fails,
   * hangs or crashes costs its own result.
   *
   * @throws ElementError where the picture cannot be decoded; the signal's reason where it is aborted.
   */
  analyse: (request: AnalysisRequest) => Promise<Analysis>;
  /** Ends the process; analyses that run fail. */
  close: () => Promise<void>;
}>;

type Asking = Parameters<SeeingProcess['ask']>;

/**
 * Makes ready to see, in a process of its own: it starts with the first analysis and ends when there is nothing to do.
 * When it ends otherwise, each picture that it looked at gets another one for itself, so that a fault of native code
 * costs the picture that causes it. `program` is what the process runs; where it cannot start, it is tried again after
 * each of the pauses.
 */
export function openVision(
  { threads, tessdataDir, logger }: VisionOptions,
  program = builtProgram,
  { idleMs, startPausesMs } = usualTimes,
): Vision {
  const all = new Set<SeeingProcess>();
  const alone = pLimit(1);
  let current: SeeingProcess | null = null;
  let isClosed = false;
  let idle: NodeJS.Timeout | undefined;

  function start(): SeeingProcess {
    const onEnd = () => {
      all.delete(started);
      if (current === started) current = null;
    };
    const started = new SeeingProcess({ program, threads, tessdataDir, onEnd });
    all.add(started);
    return started;
  }

  async function ask(...asking: Asking): Promise<Analysis> {
    clearTimeout(idle);
    const asked = (current ??= start());
    try {
      return await asked.ask(...asking);
    } finally {
      // Several that end at once all find it idle.
      clearTimeout(idle);
      if (asked === current && asked.busy === 0) idle = setTimeout(rest, idleMs).unref();
    }
  }

  /** As `ask`, by another process where one could not start. */
  async function askPatiently(...asking: Asking): Promise<Analysis> {
    for (const pauseMs of startPausesMs) {
      try {
        return await ask(...asking);
      } catch (error) {
        if (!(error instanceof NoStartError) || isClosed) throw error;
        await sleep(pauseMs, undefined, { signal: asking[2] });
      }
    }
    return ask(...asking);
  }

  function rest(): void {
    current?.end();
    current = null; // A picture that comes before it is gone gets another one.
  }

  async function askAlone(...asking: Asking): Promise<Analysis> {
    const asked = start();
    try {
      return await asked.ask(...asking);
    } catch (error) {
      if (!(error instanceof ProcessEndedError) || isClosed) throw error;
      throw new ElementError('decode_failed', 'the picture ends the process that looks at it');
    } finally {
      asked.end();
    }
  }

  return {
    async analyse({ signal, ...request }) {
      signal?.throwIfAborted();
      const bytes = 'bytes' in request ? request.bytes : await readFile(request.path, { signal });
      const { want, langs = [], context = {}, isUrgent = false } = request;
      const asking: Asking = [bytes, { want, langs, context, isUrgent }, signal];
      try {
        return logged(await askPatiently(...asking), logger);
      } catch (error) {
        if (!(error instanceof ProcessEndedError) || isClosed) throw error;
        logger.warn({}, 'the process that looks at pictures ended; this one is looked at again, by itself');
        return logged(await alone(() => askAlone(...asking)), logger);
      }
    },
    async close() {
      isClosed = true;
      clearTimeout(idle);
      for (const each of all) each.end();
    },
  };
}

function logged(analysis: Analysis, logger: Logger): Analysis {
  for (const [analyzer, { error }] of Object.entries(analysis.outcomes)) {
    if (error === undefined || error.code === 'not_available') continue;
    logger.warn({ analyzer, code: error.code, reason: error.message }, 'an analyser gave no result');
  }
  return analysis;
}
