import type { Leaf, Node } from '../../../src/search/formula/ast.ts';
import type {
  FieldTerm,
  Reference,
  SimilarityTerm,
  TextValue,
  Value,
  ValueNode,
} from '../../../src/search/formula/ast.ts';
import { formatFormula } from '../../../src/search/formula/format.ts';
import { parseFormula } from '../../../src/search/formula/parse/parser.ts';

/*
 * Handles formulas for the console with the service's own parser. Positions are code points, as the service counts them.
 */

/** A highlighted part of a formula, in UTF-16 units, which the editor uses. */
export type Mark = Readonly<{ from: number; to: number; kind: 'field' | 'sign' | 'value' | 'similar' | 'operator' }>;

/** Where each code point begins in UTF-16 units, followed by the length of the text. */
export function unitsOf(text: string): number[] {
  const starts = [0];
  for (const sign of text) starts.push((starts.at(-1) ?? 0) + sign.length);
  return starts;
}

/** The parts to highlight; in a formula with a mistake, up to where it could be read. */
export function marksOf(text: string): Mark[] {
  const leaves: Leaf[] = [];
  try {
    parseFormula(text, leaves, { isUnfinished: true });
  } catch {
    // The service reports what is wrong; here, only the part before it matters.
  }
  const units = unitsOf(text);
  const mark = (start: number, end: number, kind: Mark['kind']): Mark => ({
    from: units[start] ?? 0,
    to: units[end] ?? text.length,
    kind,
  });
  const ordered = leaves.toSorted((a, b) => a.span.start - b.span.start);
  const marks = ordered.flatMap((leaf): Mark[] => {
    const { start, end } = leaf.span;
    if (leaf.kind === 'field') {
      const { fieldSpan, comparatorSpan } = leaf;
      return [
        mark(fieldSpan.start, fieldSpan.end, 'field'),
        mark(comparatorSpan.start, comparatorSpan.end, 'sign'),
        mark(comparatorSpan.end, end, 'value'),
      ];
    }
    if (leaf.kind === 'flag' || leaf.kind === 'saved' || leaf.kind === 'collection') {
      return [mark(start, leaf.nameSpan.start, 'field'), mark(leaf.nameSpan.start, end, 'value')];
    }
    return leaf.kind === 'similarity' ? [mark(start, end, 'similar')] : [];
  });
  return [...marks, ...operatorsOf(text, ordered, units)].filter(({ from, to }) => to > from).toSorted(byPlace);
}

function byPlace(a: Mark, b: Mark): number {
  return a.from - b.from;
}

/** Finds operators between terms. */
function operatorsOf(text: string, leaves: readonly Leaf[], units: readonly number[]): Mark[] {
  const found: Mark[] = [];
  let before = 0;
  for (const start of [...leaves.map(({ span }) => units[span.start] ?? 0), text.length]) {
    for (const match of text.slice(before, Math.max(before, start)).matchAll(/AND|OR|NOT|[|&()]|[-!](?=\S|$)/g)) {
      found.push({ from: before + match.index, to: before + match.index + match[0].length, kind: 'operator' });
    }
    const leaf = leaves.find(({ span }) => units[span.start] === start);
    before = Math.max(before, leaf === undefined ? text.length : (units[leaf.span.end] ?? text.length));
  }
  return found;
}

/** The formula's tree; null for an empty one or one with a mistake. */
function read(formula: string): Node | null {
  try {
    return parseFormula(formula);
  } catch {
    return null;
  }
}

/** The parts of a formula that must all hold. */
function partsOf(formula: string): readonly Node[] {
  const root = read(formula);
  if (root === null) return [];
  return root.kind === 'and' ? root.items : [root];
}

export type Choice = 'in' | 'out';

/** The values of a field that a formula asks for or excludes; `null` means records without a value. */
export function choicesOf(formula: string, field: string): ReadonlyMap<string | null, Choice> {
  const found = new Map<string | null, Choice>();
  for (const part of partsOf(formula)) {
    const [leaf, choice] = part.kind === 'not' ? [part.item, 'out' as const] : [part, 'in' as const];
    if (leaf.kind === 'flag' && leaf.name === field && leaf.flag === 'no') found.set(null, choice);
    if (leaf.kind === 'field' && leaf.field === field) for (const text of textsOf(leaf.value)) found.set(text, choice);
  }
  return found;
}

function textsOf(value: ValueNode): string[] {
  if (value.kind === 'or') return value.items.flatMap(textsOf);
  if (value.kind === 'text') return [(value as TextValue).text];
  if (value.kind === 'range') return [`${value.low?.text ?? ''}..${value.high?.text ?? ''}`];
  return [];
}

const nowhere = { start: 0, end: 0 };

function termOf(field: string, values: readonly string[], isWhole: boolean): FieldTerm {
  const items = values.map((text): Value => {
    const range = /^(\d*)\.\.(\d*)$/.exec(text);
    if (range === null) return { kind: 'text', form: 'phrase', text, isEscaped: false, span: nowhere };
    const bound = (end = '') => (end === '' ? null : { text: end, span: nowhere });
    return { kind: 'range', low: bound(range[1]), high: bound(range[2]), span: nowhere };
  });
  const [first] = items;
  const value: ValueNode = items.length === 1 && first !== undefined ? first : { kind: 'or', items, span: nowhere };
  const comparator = isWhole ? '=' : ':';
  return { kind: 'field', field, fieldSpan: nowhere, comparator, comparatorSpan: nowhere, value, span: nowhere };
}

/** Writes a node without quotes around words that do not need them: `country:Japan`. */
function write(node: Node): string {
  return formatFormula(node).replace(/(?<=[:=,])"([\p{L}_][\p{L}\p{N}_]*)"(?=,|$)/gu, (whole, word: string) =>
    ['AND', 'OR', 'NOT'].includes(word) ? whole : word,
  );
}

export type FieldChoices = ReadonlyMap<string | null, Choice>;

/**
 * Replaces the values that a formula asks for in a field; everything else stays as it is written.
 *
 * @param isWhole whether the field holds texts, whose words would otherwise match a value
 */
export function withChoices(formula: string, field: string, choices: FieldChoices, isWhole: boolean): string {
  const values = (choice: Choice) => [...choices].filter(([value, each]) => value !== null && each === choice);
  const [inside, outside] = (['in', 'out'] as const).map((choice) => values(choice).map(([value]) => value as string));
  const terms: string[] = [];
  if (inside !== undefined && inside.length > 0) terms.push(write(termOf(field, inside, isWhole)));
  if (outside !== undefined && outside.length > 0) terms.push(`-${write(termOf(field, outside, isWhole))}`);
  if (choices.has(null)) terms.push(`${choices.get(null) === 'out' ? 'has' : 'no'}:${field}`);
  return joined(withoutField(formula, field), terms);
}

/** A formula, combined with further terms that must also hold. */
export function joined(formula: string, terms: readonly string[]): string {
  const root = read(formula);
  const first = root?.kind === 'or' && terms.length > 0 ? `(${formula})` : formula;
  return [first, ...terms].filter((part) => part !== '').join(' ');
}

function isAbout(node: Node, field: string): boolean {
  if (node.kind === 'not') return isAbout(node.item, field);
  return (node.kind === 'field' && node.field === field) || (node.kind === 'flag' && node.name === field);
}

/** The text without the parts about a field, and without the operators that joined them. */
function withoutField(formula: string, field: string): string {
  const gone = partsOf(formula).filter((part) => isAbout(part, field));
  if (gone.length === 0) return formula;
  const units = unitsOf(formula);
  let text = formula;
  for (const { span } of gone.toReversed()) {
    text = `${text.slice(0, units[span.start])} ${text.slice(units[span.end])}`;
  }
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(?: (?:AND|&&|&))+(?= (?:AND|&&|&) |$)|^ ?(?:(?:AND|&&|&) )+/g, '')
    .trim();
}

/** Whether a formula contains a term of this kind. */
export function hasTerm(formula: string, kind: 'similarity' | 'collection'): boolean {
  return partsOf(formula).some((part) => part.kind === kind);
}

/** Whether results come in the order of how well they match: the formula has words, or compares pictures. */
export function isRanked(formula: string): boolean {
  const root = read(formula);
  return root !== null && hasRank(root);
}

function hasRank(node: Node): boolean {
  if (node.kind === 'and' || node.kind === 'or') return node.items.some(hasRank);
  return node.kind === 'text' || node.kind === 'similarity' || node.kind === 'saved';
}

type Asked = Readonly<{ scheme: Reference['scheme']; value: string }>;
type Part = Readonly<{ x: number; y: number; w: number; h: number }>;

/** The formula that finds pictures that are the same as a picture, or similar to it or a part of it. */
export function similarTo(operator: '=' | '~', reference: Asked, part: Part | null): string {
  const percent = (share: number) => Math.round(share * 1000) / 10;
  const term: SimilarityTerm = {
    kind: 'similarity',
    operator,
    references: [{ ...reference, isNegative: false, span: nowhere }],
    minScore: null,
    box: part === null ? null : [percent(part.x), percent(part.y), percent(part.w), percent(part.h)],
    span: nowhere,
  };
  return formatFormula(term);
}

/** The picture that a formula compares with, if it is a single one: an id, hash or URL; null otherwise. */
export function asksFor(formula: string): string | null {
  for (const part of partsOf(formula)) if (part.kind === 'similarity') return part.references[0]?.value ?? null;
  return null;
}
