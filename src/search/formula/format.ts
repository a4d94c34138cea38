import type { FieldTerm, Leaf, Node, Reference, SimilarityTerm, Tree, Value, ValueNode } from './ast.ts';
import { isLikeId } from './parse/parse-similarity.ts';
import { isBranch, mapTree, normalizeTree } from './tree.ts';

/** Returns the canonical text of a formula: operators spelled out, every group in parentheses; '' for everything. */
export function formatFormula(node: Node | null): string {
  return node === null ? '' : formatNormal(normalizeFormula(node));
}

/** Returns the canonical text of a normalized formula, or of a part of one. */
export function formatNormal(node: Node): string {
  return formatTree(node, formatLeaf);
}

/** Returns a value as it is written in formulas, quoted if necessary. */
export function formatPlainValue(text: string): string {
  return isValue(text) ? text : quote(text);
}

/** Normalizes a formula, including the values of its fields. */
export function normalizeFormula(node: Node): Node {
  const inner = mapTree<Leaf, Leaf>(node, (leaf) =>
    leaf.kind === 'field' ? { ...leaf, value: normalizeTree<Value>(leaf.value, formatValueNode) } : leaf,
  );
  return normalizeTree<Leaf>(inner, (tree) => formatTree(tree, formatLeaf));
}

function formatTree<L extends Readonly<{ kind: string }>>(tree: Tree<L>, leaf: (leaf: L) => string, depth = 0): string {
  if (!isBranch<L>(tree)) return leaf(tree as L);
  if (tree.kind === 'not') return `NOT ${formatTree(tree.item, leaf, depth + 1)}`;
  const text = tree.items.map((item) => formatTree(item, leaf, depth + 1)).join(` ${tree.kind.toUpperCase()} `);
  return depth === 0 ? text : `(${text})`;
}

function formatLeaf(leaf: Leaf): string {
  switch (leaf.kind) {
    case 'everything':
      return '*';
    case 'text':
      return formatText(leaf, isWord(leaf.text));
    case 'field':
      return formatField(leaf);
    case 'flag':
      return `${leaf.flag}:${formatPlainValue(leaf.name)}`;
    case 'similarity':
      return formatSimilarity(leaf);
    case 'saved':
    case 'collection':
      return `${leaf.kind}:${formatPlainValue(leaf.name)}`;
    default:
      return leaf satisfies never;
  }
}

function formatField({ field, comparator, value }: FieldTerm): string {
  const isSet = value.kind === 'or' && value.items.every(({ kind }) => kind === 'text' || kind === 'range');
  if (isSet) return `${field}${comparator}${value.items.map((item) => formatValueNode(item)).join(',')}`;
  return `${field}${comparator}${isBranch<Value>(value) ? `(${formatTree(value, formatGroupedValue)})` : formatValue(value as Value)}`;
}

function formatValueNode(value: ValueNode): string {
  return formatTree(value, formatValue);
}

/** Escapes a leading dash that belongs to the value, because in a group it would negate. */
function formatGroupedValue(value: Value): string {
  const text = formatValue(value);
  return /^[-!]/.test(text) ? `\\${text}` : text;
}

function formatValue(value: Value): string {
  if (value.kind === 'star') return '*';
  if (value.kind === 'range') return `${value.low?.text ?? ''}..${value.high?.text ?? ''}`;
  if (value.isEscaped && value.form !== 'phrase' && /^[-!]/.test(value.text))
    return escape(value.text) + (value.form === 'prefix' ? '*' : '');
  return formatText(value, isValue(value.text));
}

function formatText({ form, text }: Readonly<{ form: string; text: string }>, isPlain: boolean): string {
  if (form === 'phrase') return quote(text);
  if (form === 'word') return isPlain ? text : escape(text);
  return `${isPlain ? text : escape(text)}*`;
}

/** Whether bare text needs no escaping; leading punctuation is always escaped. */
function isWord(text: string): boolean {
  return /^[\p{L}\p{Nd}][\p{L}\p{N}_.'’/@#%&+-]*$/u.test(text) && !text.includes('&&') && !isReserved(text);
}

/** Whether a value needs no escaping; colons are allowed after a digit. */
function isValue(text: string): boolean {
  const plain = /^(?:[\p{L}_][\p{L}\p{N}_.'’/@#%&+-]*|[-+]?\p{Nd}[\p{L}\p{N}_.'’/@#%&+:-]*)$/u;
  return plain.test(text) && !/\.\.|&&/.test(text) && !isReserved(text);
}

function isReserved(text: string): boolean {
  return ['AND', 'OR', 'NOT'].includes(text);
}

function quote(text: string): string {
  return `"${text.replace(/["“”\\]/gu, '\\$&')}"`;
}

/** Escapes every character that is not clearly part of a word. */
function escape(text: string): string {
  const signs = [...text].map((sign) => (/^[\p{L}\p{N}_]$/u.test(sign) ? sign : `\\${sign}`));
  if (isReserved(text)) return `\\${text}`;
  return signs.join('');
}

function formatSimilarity({ operator, references, minScore, box }: SimilarityTerm): string {
  const [first] = references;
  const isSingle = references.length === 1 && first !== undefined && !first.isNegative;
  const target = isSingle ? formatReference(first) : `(${references.map(formatReference).join(' ')})`;
  const options = [box && `@box:${box.join(',')}`, minScore !== null && `@${minScore}`];
  return `i${operator}${target}${options.filter(Boolean).join('')}`;
}

function formatReference({ scheme, value, isNegative }: Reference): string {
  const isPlain = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(value) && scheme !== 'url' && scheme !== 'text';
  const isImplied = isPlain && (scheme === 'hash') === value.startsWith('qh_');
  const text = isPlain ? value : quote(value);
  const isBare = isImplied || (scheme === 'text' && !isLikeId(value));
  return `${isNegative ? '-' : ''}${isBare ? '' : `${scheme}:`}${text}`;
}
