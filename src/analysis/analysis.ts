import type { Conversion } from './convert.ts';
import type { ImageFacts } from './decode.ts';
import type { AnalyzerName, Context, Language, Outcomes, Warning } from './facts.ts';

/** A picture as it is at hand: its bytes, or the file that they are in. */
export type PictureFile = Readonly<{ bytes: Buffer }> | Readonly<{ path: string }>;

/** What is to be found out of a picture. */
export type AnalysisScope = Readonly<{
  want: readonly AnalyzerName[];
  /** Languages of captions and lettering, the most wanted first; English when empty. */
  langs?: readonly Language[];
  context?: Context;
  /** For whom, as the tenant's id: owners share decoders and threads equally. */
  owner?: number;
}>;

/** How a picture is taken up. */
export type Handling = Readonly<{
  owner?: number;
  /** Somebody waits for it: it is done in a process that does nothing else. */
  isUrgent?: boolean;
  signal?: AbortSignal;
}>;

export type AnalysisRequest = PictureFile & AnalysisScope & Handling;

/** A file that is to be made of a picture. */
export type ConversionRequest = PictureFile & Handling & Readonly<{ conversion: Conversion }>;

/** What was found out. */
export type Analysis = Readonly<{
  image: ImageFacts;
  /** One outcome for each name in `want`. */
  outcomes: Outcomes;
  warnings: readonly Warning[];
}>;
