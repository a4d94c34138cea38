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

/** What can be written at the cursor. */
export type Completion = Readonly<{
  /** Takes the place of the span. */
  text: string;
  kind: (typeof completionKinds)[number];
  description: string;
  /** How many records have the value, where that is known. */
  count: number | null;
}>;

export type Completions = Readonly<{ span: Span; results: readonly Completion[] }>;
