import type { FormulaField } from '../../catalog/index.ts';
import type { SimilarityTerm, TextForm, Tree } from './ast.ts';
import type { Span } from './errors.ts';

/** A formula that is known to make sense: fields are rows of the table, values have their types. */
export type Condition = Tree<Test>;

/** One question to one record; `span` is where the formula asks it. */
export type Test = Readonly<{ span: Span }> &
  (
    | Readonly<{ kind: 'everything' }>
    /** Some text of the field holds these words side by side; a single word in any of its forms. */
    | Readonly<{
        kind: 'words';
        field: FormulaField;
        form: TextForm;
        words: readonly string[];
        /** What the word may have meant, where no record holds it. */
        meanings?: readonly string[];
      }>
    /** The whole value, or its beginning; of a list, of one element. */
    | Readonly<{ kind: 'value'; field: FormulaField; isPrefix: boolean; text: string }>
    | Readonly<{ kind: 'present'; field: FormulaField }>
    | Readonly<{ kind: 'range'; field: FormulaField; low: NumberBound | null; high: NumberBound | null }>
    /** From the first moment on, up to the second but without it; moments are RFC 3339. */
    | Readonly<{ kind: 'period'; field: FormulaField; from: string | null; to: string | null }>
    | Readonly<{ kind: 'boolean'; field: FormulaField; value: boolean | null }>
    /** Together these shades have such a share of the picture; at 0 one of them is enough. */
    | Readonly<{ kind: 'color'; field: FormulaField; name: string; shades: readonly string[]; percent: number }>
    | SimilarityTerm
  );

/** A decimal number as text, so that no digit is lost. */
export type NumberBound = Readonly<{ value: string; isIncluded: boolean }>;
