import type { Colors } from './analyzers/colors.ts';
import type { EmbeddedFields } from './analyzers/embedded-values.ts';
import type { PdqHash } from './fingerprint/pdq.ts';
import type { LocalFeatureBytes } from './fingerprint/signature.ts';
import { languages } from '../lib/languages.ts';
import type { Language } from '../lib/languages.ts';

export { languages };
export type { Language };

/** A part of the upright picture; all four are fractions of its width or height, 0 to 1. */
export type Box = Readonly<{ x: number; y: number; w: number; h: number }>;

export type Face = Readonly<{ box: Box; /** 0 to 1. */ confidence: number }>;

/** An object of one of the 80 COCO classes; `label` is its English name, a key of the table of labels. */
export type DetectedObject = Readonly<{
  label: string;
  box: Box;
  /** 0 to 1. */
  confidence: number;
  /** Whether a second pass agreed, or the first was certain; only then do keywords and captions name it. */
  isConfirmed: boolean;
}>;

/** One line of text, as read in the picture. */
export type TextLine = Readonly<{ text: string; lang: string; /** 0 to 1. */ confidence: number; box: Box }>;

export type OcrResult = Readonly<{
  /** All lines from top to bottom, separated by `\n`; empty if the picture shows no text. */
  text: string;
  lines: readonly TextLine[];
  /** Rotation of the text, clockwise from upright. */
  turned: 0 | 90 | 180 | 270;
}>;

/** Origin of a concept: a detected object or face, the colors and layout, metadata of the file, or a model. */
export type ConceptSource = 'objects' | 'faces' | 'colors' | 'embedded' | 'model';

export type Concept = Readonly<{
  /** Its name in each language; keywords from a file are the same in all. */
  labels: Readonly<Record<Language, string>>;
  /** 0 to 1; 1 for metadata of a file. */
  confidence: number;
  source: ConceptSource;
}>;

/** One sentence in each of the requested languages; empty if there is nothing to say. */
export type Caption = Readonly<Partial<Record<Language, string>>>;

export type Shape = Readonly<{ width: number; height: number; orientation: 'landscape' | 'portrait' | 'square' }>;

/**
 * All facts about a picture: the result of each analyzer, built-in or of a provider, by its name. The file of a new analyzer
 * adds its result with `declare module`.
 */
export interface Facts {
  readonly shape: Shape;
  /** Dominant colors with CSS name, hex and percent, and whether the picture is black and white. */
  readonly colors: Colors;
  /** EXIF, IPTC and XMP, or the tags of a video's container, under the field table's names. */
  readonly embedded: EmbeddedFields;
  readonly pdq: PdqHash;
  /** Data for finding edits of the picture. */
  readonly localFeatures: LocalFeatureBytes;
  readonly faces: readonly Face[];
  readonly objects: readonly DetectedObject[];
  readonly ocr: OcrResult;
  /** 128 dimensions; compare by cosine. Vectors of different versions must not be compared. */
  readonly embedding: Int8Array;
  /** The most certain first, no two with the same label. */
  readonly concepts: readonly Concept[];
  readonly caption: Caption;
  /** How likely the picture is unsafe for work; no built-in analyzer determines that. */
  readonly nsfw: Readonly<{ isNsfw: boolean; /** 0 to 1. */ confidence: number }>;
}

export type AnalyzerName = keyof Facts;

/** Why an analyzer returned no result. The picture's other results are not affected. */
export type AnalyzerErrorCode = 'failed' | 'timeout' | 'crashed' | 'out_of_memory' | 'not_available' | 'budget_spent';

/** Which analyzer produced a value: stored with every generated value. */
export type Origin = Readonly<{
  /** `builtin`, or the provider's name with its model. */
  analyzer: string;
  version: string;
  /** Processing time, excluding waits. */
  milliseconds: number;
}>;

/** The outcome of an analyzer: a result, or the reason why there is none; and warnings. */
export type Outcome<T> = Origin &
  Readonly<{ warnings?: readonly Warning[] }> &
  Readonly<{ result: T; error?: never } | { result?: never; error: { code: AnalyzerErrorCode; message: string } }>;

export type Outcomes = { readonly [Name in AnalyzerName]?: Outcome<Facts[Name]> };

/** What a caller knows about a picture; used for captions and concepts, never invented. */
export type PictureContext = Readonly<{ date?: string; event?: string; city?: string; country?: string }>;

/** A remark about an analysis that is not a failure: what could not be recognized, and what would help. */
export type Warning = Readonly<{
  code: 'nothing_recognized' | 'ocr_language_unavailable' | 'fallback_used' | 'caption_refused';
  message: string;
}>;
