import type { Language } from './languages.ts';

/** What a tenant wants of generated captions. */
export type CaptionRules = Readonly<{
  /** The house style, in words for a model; null for none. */
  style: string | null;
  /** The languages that are wanted; empty for all that are asked for. */
  langs: readonly Language[];
  /** The most words of a caption; null for no limit. */
  words: number | null;
  /** Words and phrases that no caption may have. */
  forbidden: readonly string[];
}>;
