import type { ImageFacts } from './decode.ts';
import type { AnalyzerName, Context, Language, Outcomes, Warning } from './facts.ts';

/** A picture as it is at hand: its bytes, or the file that they are in. */
export type PictureFile = Readonly<{ bytes: Buffer }> | Readonly<{ path: string }>;

/** What is to be found out of a picture. */
export type Question = Readonly<{
  want: readonly AnalyzerName[];
  /** Languages of captions and lettering, the most wanted first; English when empty. */
  langs?: readonly Language[];
  context?: Context;
  /** Somebody waits for it: it goes before analyses that are not urgent. */
  isUrgent?: boolean;
}>;

export type AnalysisRequest = PictureFile & Question & Readonly<{ signal?: AbortSignal }>;

/** What was found out. */
export type Analysis = Readonly<{
  image: ImageFacts;
  /** One outcome for each name in `want`. */
  outcomes: Outcomes;
  warnings: readonly Warning[];
}>;
