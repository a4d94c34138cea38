import type { FormulaField } from '../../catalog/index.ts';
import type { CollectionTerm, SimilarityTerm, TextForm, Tree } from './ast.ts';
import type { Span } from './errors.ts';

/** A checked formula: fields are rows of the field table, and values are typed. */
export type Condition = Tree<Test>;

/** One test of a record; `span` is its place in the formula. */
export type Test = Readonly<{ span: Span }> &
  (
    | Readonly<{ kind: 'everything' }>
    /** A text of the field contains these words in sequence; a single word may appear in any of its forms. */
    | Readonly<{
        kind: 'words';
        field: FormulaField;
        form: TextForm;
        words: readonly string[];
        /** Corrections of the word, if no record contains it. */
        meanings?: readonly string[];
      }>
    /** The field has this value or, for `isPrefix`, starts with it; in a list, one element does. */
    | Readonly<{ kind: 'value'; field: FormulaField; isPrefix: boolean; text: string }>
    | Readonly<{ kind: 'present'; field: FormulaField }>
    | Readonly<{ kind: 'range'; field: FormulaField; low: NumberBound | null; high: NumberBound | null }>
    /** From the first moment (inclusive) to the second (exclusive), in RFC 3339. */
    | Readonly<{ kind: 'period'; field: FormulaField; from: string | null; to: string | null }>
    | Readonly<{ kind: 'boolean'; field: FormulaField; value: boolean | null }>
    /** These shades together cover at least this percentage of the picture; at 0, any one of them is enough. */
    | Readonly<{ kind: 'color'; field: FormulaField; name: string; shades: readonly string[]; percent: number }>
    | CollectionTerm
    | SimilarityTerm
  );

/** A decimal number as text, so that no digit is lost. */
export type NumberBound = Readonly<{ value: string; isIncluded: boolean }>;
