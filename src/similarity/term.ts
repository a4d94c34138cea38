import type { MatchExplanation } from './compare/match-explanation.ts';

/** `~` to `~~~` find similar pictures, `=` to `====` duplicates; longer operators are stricter. */
export type SimilarityOperator = '~' | '~~' | '~~~' | '=' | '==' | '===' | '====';
export type ReferenceScheme = 'id' | 'hash' | 'url' | 'text';

/** The reference of a term. */
export type TermReference = Readonly<{ scheme: ReferenceScheme; value: string; isNegative: boolean }>;

/** Left, top, width and height in percent. */
export type ReferenceBox = readonly [x: number, y: number, width: number, height: number];

/** A similarity term. */
export type Term<R extends TermReference = TermReference> = Readonly<{
  operator: SimilarityOperator;
  references: readonly R[];
  minScore: number | null;
  box: ReferenceBox | null;
}>;

/** The result of a term. */
export type Answered = Readonly<{
  /** The records that match, and how similar each is, 0 to 1. */
  found: ReadonlyMap<number, number>;
  /** Why a record matches; null for one that does not. */
  explainMatch: (rowId: number) => MatchExplanation | null;
}>;

/** How well each record matches a text by its words: the fraction of the words that it contains. */
export type ScoreText = (text: string) => Promise<ReadonlyMap<number, number>>;

/** A reference that cannot be compared, with the reason and a hint. */
export class UnknownReference extends Error {
  readonly reference: TermReference;
  readonly problem: string;
  readonly hint: string;

  constructor(reference: TermReference, problem: string, hint: string) {
    super(problem);
    this.name = 'UnknownReference';
    this.reference = reference;
    this.problem = problem;
    this.hint = hint;
  }
}
