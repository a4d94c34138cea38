import type { Language } from './languages.ts';

/** A tenant's settings for generated captions. */
export type CaptionRules = Readonly<{
  /** The house style, described in words for a model; null for none. */
  style: string | null;
  /** The languages that the tenant wants; empty for all that are requested. */
  langs: readonly Language[];
  /** The maximum number of words in a caption; null for no limit. */
  words: number | null;
  /** Words and phrases that captions must not contain. */
  forbidden: readonly string[];
}>;
