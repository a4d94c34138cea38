import type { Logger } from '../logger.ts';
import type { AnalyzerName, Context, Language, Outcomes, Warning } from './facts.ts';
import type { ImageFacts } from './decode.ts';

export { decodeImage } from './decode.ts';
export type { ImageFacts } from './decode.ts';
export * from './facts.ts';

export type VisionOptions = Readonly<{
  /** Threads that analyse at the same time. */
  threads: number;
  /** Folder with more languages of lettering, as `<code>.traineddata`. */
  tessdataDir?: string | undefined;
  logger: Logger;
}>;

export type AnalysisRequest = Readonly<{ bytes: Buffer } | { path: string }> &
  Readonly<{
    want: readonly AnalyzerName[];
    /** Languages of captions and lettering, the most wanted first; English when empty. */
    langs?: readonly Language[];
    context?: Context;
    signal?: AbortSignal;
  }>;

export type Analysis = Readonly<{
  image: ImageFacts;
  /** One outcome for each name in `want`. */
  outcomes: Outcomes;
  warnings: readonly Warning[];
}>;

export type Vision = Readonly<{
  /**
   * Decodes the picture once and runs the wanted analysers on it, each for itself: one that fails,
   * hangs or crashes costs its own result.
   *
   * @throws ElementError where the picture cannot be decoded; the signal's reason where it is aborted.
   */
  analyse: (request: AnalysisRequest) => Promise<Analysis>;
  /** Ends the threads; analyses that run fail. */
  close: () => Promise<void>;
}>;

/** Makes ready to see; threads start with the first analysis and end when there is nothing to do. */
export declare function openVision(options: VisionOptions): Vision;
export { openSight } from './open-sight.ts';
export type { Sight } from './sight.ts';
export { createSight } from './sight.ts';
