import { readFile } from 'node:fs/promises';
import type { Logger } from '../observability/logger.ts';
import { ActiveTenants } from '../lib/active-tenants.ts';
import { Answers } from '../lib/answers.ts';
import { builtFile } from '../lib/package-root.ts';
import type { Analysis, AnalysisRequest, ConversionRequest, PictureFile } from './analysis.ts';
import { needsOf, sideFor } from './analyzers.ts';
import type { Converted } from './convert.ts';
import { checkMemory, decodeCost, isLarge } from './decode-cost.ts';
import type { DecodeCost } from './decode-cost.ts';
import { decodeMemoryBytes, decodeSeconds, idleMs } from './limits.ts';
import { Pictures } from './process/pictures.ts';
import type { Times } from './process/processes.ts';

/** The compiled program: Node does not run TypeScript. */
const builtProgram = builtFile('analysis/process/process.js');
const usualTimes: Times & Readonly<{ decodeSeconds: number }> = {
  idleMs,
  startPausesMs: [200, 1_000, 5_000],
  decodeSeconds,
};

type BuiltinAnalyzerOptions = Readonly<{
  /** Number of threads that analyze at the same time, for requests and for stored pictures each. */
  threads: number;
  /** Folder with additional OCR languages, as `<code>.traineddata`. */
  tessdataDir?: string | null | undefined;
  /** The path of ONNX Runtime, which runs networks if it can be loaded; otherwise WebAssembly does. */
  onnxRuntime?: string | null | undefined;
  /** Memory in bytes for decoding one picture, and for all large ones together. */
  decodeMemory?: number | undefined;
  logger: Logger;
  /** Counts the requests being answered; stored pictures yield to them. */
  answers?: Answers | undefined;
  /** The tenants that this process serves. */
  activeTenants?: ActiveTenants | undefined;
}>;

export type BuiltinAnalyzer = Readonly<{
  /**
   * Decodes the picture once and runs the wanted analyzers on it independently: one that fails,
   * hangs or crashes loses only its own result.
   *
   * @throws ElementError if the picture cannot be decoded; AppError `unavailable` if its owner has too many
   * urgent ones waiting; the signal's reason if it is aborted.
   */
  analyze: (request: AnalysisRequest) => Promise<Analysis>;
  /** Converts a picture to another file. @throws like `analyze`. */
  convert: (request: ConversionRequest) => Promise<Converted>;
  /** Ends the processes; running work fails. */
  close: () => Promise<void>;
}>;

/**
 * Opens the built-in analyzer with its own processes: one for interactive work, one for stored pictures, and one for each
 * large picture while that is decoded. They start when needed, end when idle, and run `program`.
 */
export function openBuiltinAnalyzer(
  {
    threads,
    tessdataDir = null,
    onnxRuntime = null,
    decodeMemory = decodeMemoryBytes,
    logger,
    answers = new Answers(),
    activeTenants = new ActiveTenants(),
  }: BuiltinAnalyzerOptions,
  program = builtProgram,
  times: Partial<typeof usualTimes> = {},
): BuiltinAnalyzer {
  const allTimes = { ...usualTimes, ...times };
  const pictures = new Pictures({
    program,
    threads,
    tessdataDir,
    onnxRuntime,
    decodeMemoryBytes: decodeMemory,
    times: allTimes,
    logger,
    answers,
    activeTenants,
  });

  /** @throws ElementError `too_large` */
  function affordableCost(bytes: Buffer): DecodeCost {
    const cost = decodeCost(bytes);
    checkMemory(cost, decodeMemory);
    return cost;
  }

  async function analyze({ signal, owner = 0, isUrgent = false, ...request }: AnalysisRequest): Promise<Analysis> {
    const handling = { owner, isUrgent, ...(signal && { signal }) };
    const bytes = await bytesOf(request, signal);
    const { want, langs = [], context = {} } = request;
    const scope = { want, langs, context, owner };
    const cost = affordableCost(bytes);
    if (!isLarge(cost)) return pictures.ask({ name: 'analyze', bytes, decoded: null, scope }, handling);
    const decoded = await pictures.askAlone({ name: 'decode', bytes, longSide: sideFor(want) }, cost, handling);
    if (want.length === 0) return { image: decoded.facts, outcomes: {}, warnings: [] };
    const file = needsOf(want).has('bytes') ? bytes : null;
    return pictures.ask({ name: 'analyze', bytes: file, decoded, scope }, handling);
  }

  return {
    analyze: async (request) => logged(await analyze(request), logger),
    async convert({ conversion, ...request }) {
      const bytes = await bytesOf(request, request.signal);
      const job = { name: 'convert', bytes, conversion } as const;
      const cost = affordableCost(bytes);
      return isLarge(cost) ? pictures.askAlone(job, cost, request) : pictures.ask(job, request);
    },
    close: async () => pictures.close(),
  };
}

async function bytesOf(picture: PictureFile, signal: AbortSignal | undefined): Promise<Buffer> {
  signal?.throwIfAborted();
  return 'bytes' in picture ? picture.bytes : readFile(picture.path, { signal });
}

function logged(analysis: Analysis, logger: Logger): Analysis {
  for (const [analyzer, { error }] of Object.entries(analysis.outcomes)) {
    if (error === undefined || error.code === 'not_available') continue;
    logger.warn({ analyzer, code: error.code, reason: error.message }, 'an analyzer returned no result');
  }
  return analysis;
}
