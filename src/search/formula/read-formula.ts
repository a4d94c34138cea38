import type { Resource } from '../../catalog/index.ts';
import type { Leaf, Node, Span } from './ast.ts';
import { checkFormula, checkLeaf } from './check.ts';
import type { CheckOptions } from './check.ts';
import type { Condition, Test } from './conditions.ts';
import { fail, FormulaError } from './errors.ts';
import { formulaLimits } from './limits.ts';
import { parseFormula } from './parser.ts';
import { normalizeFormula } from './print.ts';
import { isBranch, leavesOf } from './tree.ts';

export type ReadOptions = Readonly<{
  resource: Resource;
  /** The moment that relative dates count from, milliseconds since 1970. */
  now: number;
  /** Where days begin: an IANA time zone, or null for UTC. */
  timeZone?: string | null | undefined;
  /** The text of a saved formula, or null. */
  findSaved?: ((name: string) => string | null) | undefined;
  /** The name that the formula itself is to be saved under: what it names must not lead back to it. */
  savedAs?: string | undefined;
}>;

/** A formula as it was written and as it is understood; both null for an empty one, which asks for everything. */
export type ReadFormula = Readonly<{ node: Node | null; condition: Condition | null }>;

/**
 * Parses, checks and normalizes a formula.
 *
 * @throws FormulaError for the first mistake from the left, and nothing else.
 */
export function readFormula(formula: string, options: ReadOptions): ReadFormula {
  const { savedAs } = options;
  const reading = { options, known: new Map<string, Condition>(), tests: { left: formulaLimits.savedTests } };
  const found = read(formula, reading, savedAs === undefined ? [] : [savedAs]);
  if (reading.known.size > 0) refuseManyPictures(found);
  return found;
}

/** What saved formulas ask of pictures counts with the rest. */
function refuseManyPictures({ node, condition }: ReadFormula): void {
  if (node === null || condition === null) return;
  const tests = leavesOf<Test>(condition).filter((test) => test.kind === 'similarity');
  const references = tests.reduce((sum, test) => sum + test.references.length, 0);
  const verifications = tests.filter(({ operator }) => operator === '====').length;
  if (references <= formulaLimits.references && verifications <= formulaLimits.verifications) return;
  const { span } = leavesOf<Leaf>(node).find(({ kind }) => kind === 'saved') ?? node;
  const problem = `With what saved formulas ask there are more than ${formulaLimits.references} similarity references, or more than one verification`;
  fail('too_complex', span, problem, 'Ask for fewer pictures at once.');
}

/** A saved formula's own places are of another text: all of it is where its name stands. */
function placeAt(span: Span, condition: Condition): Condition {
  if (!isBranch<Test>(condition)) {
    if (condition.kind !== 'similarity') return { ...condition, span };
    return { ...condition, span, references: condition.references.map((reference) => ({ ...reference, span })) };
  }
  if (condition.kind === 'not') return { ...condition, item: placeAt(span, condition.item), span };
  return { ...condition, items: condition.items.map((item) => placeAt(span, item)), span };
}

/** What the reading of a formula and of those that it names shares. */
type Reading = Readonly<{
  options: ReadOptions;
  /** What saved formulas mean that were read already: one that is named twice is read once. */
  known: Map<string, Condition>;
  /** How many tests may still come from saved formulas: names of names could double without end. */
  tests: { left: number };
}>;

function read(formula: string, reading: Reading, within: readonly string[]): ReadFormula {
  const { resource, now, timeZone, findSaved } = reading.options;
  const resolveSaved: CheckOptions['resolveSaved'] = (name, span) => {
    refuseEndless(name, span, within);
    let meaning = reading.known.get(name);
    if (meaning === undefined) {
      const text = findSaved?.(name) ?? null;
      if (text === null) return null;
      meaning = readSaved(name, span, () => read(text, reading, [...within, name]));
      reading.known.set(name, meaning);
    }
    spend(name, span, meaning, reading);
    return placeAt(span, meaning);
  };
  const options: CheckOptions = { resource, now, timeZone, resolveSaved };
  const leaves: Leaf[] = [];
  try {
    const parsed = parseFormula(formula, leaves);
    if (parsed === null) return { node: null, condition: null };
    const node = normalizeFormula(parsed);
    for (const leaf of leaves) checkLeaf(leaf, options);
    return { node, condition: checkFormula(node, options) };
  } catch (error) {
    throw earliest(error, leaves, options);
  }
}

/** A term before a mistake of syntax may have a mistake of meaning, which comes first. */
function earliest(error: unknown, leaves: readonly Leaf[], options: CheckOptions): unknown {
  if (!(error instanceof FormulaError)) return error;
  for (const leaf of leaves) {
    if (leaf.span.start >= error.position) break;
    try {
      checkLeaf(leaf, options);
    } catch (other) {
      return other;
    }
  }
  return error;
}

function spend(name: string, span: Span, meaning: Condition, { tests }: Reading): void {
  tests.left -= leavesOf<Test>(meaning).length;
  if (tests.left >= 0) return;
  const problem = `With what '${name}' stands for the formula asks too much`;
  fail('too_complex', span, problem, 'Saved formulas that name each other grow fast; ask for less at once.');
}

function refuseEndless(name: string, span: Span, within: readonly string[]): void {
  if (!within.includes(name) && within.length < formulaLimits.depth) return;
  const hint = 'A saved formula cannot ask for itself, nor can those it names.';
  fail('too_deep', span, `The saved formula '${name}' leads back to itself`, hint);
}

/** A mistake inside a saved formula is shown at its name: its own positions are of another text. */
function readSaved(name: string, span: Span, readText: () => ReadFormula): Condition {
  try {
    return readText().condition ?? { kind: 'everything', span };
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error;
    return fail(
      error.code,
      span,
      `The saved formula '${name}' has a mistake: ${error.message}`,
      error.hint,
      error.expected,
    );
  }
}
