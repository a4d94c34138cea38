import type { Span } from '../formula/index.ts';

export const completionKinds = [
  'operator',
  'field',
  'flag',
  'value',
  'word',
  'saved',
  'collection',
  'reference',
] as const;

/** A text that can be inserted at the cursor. */
export type Completion = Readonly<{
  /** Replaces the span. */
  text: string;
  kind: (typeof completionKinds)[number];
  description: string;
  /** Number of records that have the value, if known. */
  count: number | null;
}>;

export type Completions = Readonly<{ span: Span; results: readonly Completion[] }>;
