import type { Term, TermReference } from '../../similarity/index.ts';
import type { Span } from './errors.ts';
import type { FlagOperator } from './parse/flag-operators.ts';

export type { Span } from './errors.ts';

/** Leaves combined by AND, OR and NOT. */
export type Tree<L> = L | And<L> | Or<L> | Not<L>;
type And<L> = Readonly<{ kind: 'and'; items: readonly Tree<L>[]; span: Span }>;
type Or<L> = Readonly<{ kind: 'or'; items: readonly Tree<L>[]; span: Span }>;
type Not<L> = Readonly<{ kind: 'not'; item: Tree<L>; span: Span }>;

/** A formula as written, unchecked: fields may be unknown and values invalid. */
export type Node = Tree<Leaf>;
export type Leaf = Everything | Text | FieldTerm | FlagTerm | SimilarityTerm | SavedTerm | CollectionTerm;

/** `*` */
type Everything = Readonly<{ kind: 'everything'; span: Span }>;

/** Bare text, searched in the default fields. */
export type Text = Readonly<{ kind: 'text'; form: TextForm; text: string; span: Span }>;
export type TextForm = 'word' | 'prefix' | 'phrase';

export type Comparator = ':' | '=' | '!=' | '<' | '<=' | '>' | '>=';

export type FieldTerm = Readonly<{
  kind: 'field';
  /** In lower case. */
  field: string;
  fieldSpan: Span;
  comparator: Comparator;
  comparatorSpan: Span;
  value: ValueNode;
  span: Span;
}>;

/** Values of one field, combined: `keywords:(dog beach)`. `keywords:dog,cat` is an OR. */
export type ValueNode = Tree<Value>;

export type Value = StarValue | TextValue | RangeValue;
/** `*`: present and not empty */
type StarValue = Readonly<{ kind: 'star'; span: Span }>;
export type TextValue = Readonly<{
  kind: 'text';
  form: TextForm;
  text: string;
  /** Whether its first character was escaped (`\-` or `\!`), so that it does not negate. */
  isEscaped: boolean;
  span: Span;
}>;
/** Both bounds are inclusive; null means unbounded. */
export type RangeValue = Readonly<{ kind: 'range'; low: Bound | null; high: Bound | null; span: Span }>;
export type Bound = Readonly<{ text: string; span: Span }>;

/** `has:title`, `no:title`, `is:nsfw` */
export type FlagTerm = Readonly<{
  kind: 'flag';
  flag: FlagOperator;
  name: string;
  nameSpan: Span;
  span: Span;
}>;

export type Reference = TermReference & Readonly<{ span: Span }>;

export type SimilarityTerm = Readonly<{ kind: 'similarity'; span: Span }> & Term<Reference>;

/** `saved:"Covers of May"`: the formula saved under that name. */
export type SavedTerm = Readonly<{ kind: 'saved'; name: string; nameSpan: Span; span: Span }>;

/** `collection:"Covers of May"`: the records in the collection of that name. */
export type CollectionTerm = Readonly<{ kind: 'collection'; name: string; nameSpan: Span; span: Span }>;
