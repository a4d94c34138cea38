import type { Conversion } from './convert.ts';
import type { ImageFacts } from './decode.ts';
import type { AnalyzerName, PictureContext, Language, Outcomes, Warning } from './facts.ts';

/** A picture, given as its bytes or as the file that contains them. */
export type PictureFile = Readonly<{ bytes: Buffer }> | Readonly<{ path: string }>;

/** What to analyze in a picture. */
export type AnalysisScope = Readonly<{
  want: readonly AnalyzerName[];
  /** Languages for captions and OCR, in order of preference; English if empty. */
  langs?: readonly Language[];
  context?: PictureContext;
  /** The tenant's id: owners share decoders and threads equally. */
  owner?: number;
}>;

/** How a picture is processed. */
export type Handling = Readonly<{
  owner?: number;
  /** Whether a caller waits for the result: then it runs in the process for interactive work. */
  isUrgent?: boolean;
  signal?: AbortSignal;
}>;

export type AnalysisRequest = PictureFile & AnalysisScope & Handling;

/** A conversion of a picture to a file. */
export type ConversionRequest = PictureFile & Handling & Readonly<{ conversion: Conversion }>;

/** The result of an analysis. */
export type Analysis = Readonly<{
  image: ImageFacts;
  /** One outcome for each name in `want`. */
  outcomes: Outcomes;
  warnings: readonly Warning[];
}>;
