import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { ElementError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { packageRoot } from '../package-root.ts';
import type { Analysis, AnalysisRequest } from './analysis.ts';
import { ProcessEndedError } from './seeing/ask.ts';
import { SeeingProcesses } from './seeing/processes.ts';
import type { Times } from './seeing/processes.ts';

/** The built program: Node runs no TypeScript. */
const builtProgram = join(packageRoot, 'dist/src/vision/seeing/process.js');
const usualTimes: Times = { idleMs: 30_000, startPausesMs: [200, 1_000, 5_000] };

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

/**
 * Makes ready to see, in a process of its own: it starts with the first analysis and ends when there is nothing to do.
 * When it ends otherwise, each picture that it looked at gets another one for itself, so that a fault of native code
 * costs the picture that causes it. `program` is what the process runs.
 */
export function openVision(
  { threads, tessdataDir, logger }: VisionOptions,
  program = builtProgram,
  times = usualTimes,
): Vision {
  const processes = new SeeingProcesses({ program, threads, tessdataDir, times });
  const alone = pLimit(1);

  /** Whether the process ended over what it was asked, and not because nothing is asked any more. */
  const hasEnded = (error: unknown) => error instanceof ProcessEndedError && !processes.isClosed;

  async function askAlone(...asking: Parameters<SeeingProcesses['ask']>): Promise<Analysis> {
    logger.warn({}, 'the process that looks at pictures ended; this one is looked at again, by itself');
    try {
      return await alone(() => processes.askAlone(...asking));
    } catch (error) {
      if (!hasEnded(error)) throw error;
      throw new ElementError('decode_failed', 'the picture ends the process that looks at it');
    }
  }

  return {
    async analyse({ signal, ...request }) {
      signal?.throwIfAborted();
      const bytes = 'bytes' in request ? request.bytes : await readFile(request.path, { signal });
      const { want, langs = [], context = {}, isUrgent = false } = request;
      const question = { want, langs, context, isUrgent };
      const analysis = await processes.ask(bytes, question, signal).catch((error: unknown) => {
        if (hasEnded(error)) return askAlone(bytes, question, signal);
        throw error;
      });
      return logged(analysis, logger);
    },
    close: async () => processes.close(),
  };
}

function logged(analysis: Analysis, logger: Logger): Analysis {
  for (const [analyzer, { error }] of Object.entries(analysis.outcomes)) {
    if (error === undefined || error.code === 'not_available') continue;
    logger.warn({ analyzer, code: error.code, reason: error.message }, 'an analyser gave no result');
  }
  return analysis;
}
