import type { Resource } from '../../catalog/index.ts';
import type { Leaf, Node, Span } from './ast.ts';
import { checkFormula, checkLeaf } from './check/check.ts';
import type { CheckOptions } from './check/check.ts';
import type { Condition, Test } from './conditions.ts';
import { fail, FormulaError } from './errors.ts';
import type { FormulaErrorCode } from './errors.ts';
import { formulaLimits } from './limits.ts';
import { parseFormula } from './parse/parser.ts';
import { normalizeFormula } from './format.ts';
import { isBranch, leavesOf } from './tree.ts';

/** The mistake in a saved formula; `in` is the name of the formula that it is in, if that is another one. */
export type SavedMistake = Readonly<{
  code: FormulaErrorCode;
  problem: string;
  hint: string;
  expected?: readonly string[];
  in: string | null;
}>;

/** A resolved saved formula with its number of tests and the depth of its references, or its mistake. */
export type Saved = Readonly<{ condition: Condition; tests: number; height: number }> | SavedMistake;

export type ReadOptions = Readonly<{
  resource: Resource;
  /** The moment that relative dates refer to, in milliseconds since 1970. */
  now: number;
  /** Time zone in which days begin (IANA), or null for UTC. */
  timeZone?: string | null | undefined;
  /** Returns the saved formula with a name; null if there is none. */
  findSaved?: ((name: string) => Saved | null) | undefined;
}>;

/** The result of parsing a formula: the terms up to its first mistake, and that mistake. */
export type Parsed = Readonly<{ node: Node | null; leaves: readonly Leaf[]; mistake: FormulaError | null }>;

/** A formula as written and as checked; both null for an empty one, which matches everything. */
export type ReadFormula = Readonly<{
  node: Node | null;
  condition: Condition | null;
  /** Tests of the condition. */
  tests: number;
  /** Depth of nested saved formulas. */
  height: number;
}>;

/** Parses a formula. Never throws a FormulaError; a mistake is part of the result. */
export function parse(formula: string): Parsed {
  const leaves: Leaf[] = [];
  try {
    return { node: parseFormula(formula, leaves), leaves, mistake: null };
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error;
    return { node: null, leaves, mistake: error };
  }
}

/**
 * Parses, checks and normalizes a formula.
 *
 * @throws FormulaError for the leftmost mistake, and nothing else.
 */
export function readFormula(formula: string, options: ReadOptions): ReadFormula {
  return checkParsed(parse(formula), options);
}

/** Checks and normalizes a parsed formula. @throws FormulaError as `readFormula` does. */
export function checkParsed({ node: parsed, leaves, mistake }: Parsed, options: ReadOptions): ReadFormula {
  const expansion = new Expansion(options);
  try {
    if (mistake !== null) throw mistake;
    if (parsed === null) return { node: null, condition: null, tests: 1, height: 0 };
    const node = normalizeFormula(parsed);
    const condition = checkFormula(node, expansion.options);
    const tests = leavesOf<Test>(condition).length;
    if (expansion.height > 0) refuseExcess(node, condition, tests);
    return { node, condition, tests, height: expansion.height };
  } catch (error) {
    throw earliest(error, leaves, new Expansion(options).options);
  }
}

/** Returns the leftmost mistake: terms before a syntax error may have mistakes, too. */
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

/** Replaces references to saved formulas by their conditions, within the limits. */
class Expansion {
  readonly options: CheckOptions;
  /** Maximum height of the referenced saved formulas. */
  height = 0;
  /** Tests that came from saved formulas. */
  #tests = 0;

  constructor({ resource, now, timeZone, findSaved }: ReadOptions) {
    const resolveSaved = (name: string, span: Span) => this.#expand(name, span, findSaved?.(name) ?? null);
    this.options = { resource, now, timeZone, resolveSaved };
  }

  #expand(name: string, span: Span, saved: Saved | null): Condition | null {
    if (saved === null) return null;
    if ('code' in saved) return refuseMistaken(name, span, saved);
    this.#tests += saved.tests;
    this.height = Math.max(this.height, saved.height);
    if (this.#tests > formulaLimits.tests) refuseMany(span, `With the saved formula '${name}'`);
    return placeAt(span, saved.condition);
  }
}

/** Reports a mistake inside a saved formula at the reference to it, because its own positions belong to another text. */
function refuseMistaken(name: string, span: Span, saved: SavedMistake): never {
  const { code, problem, hint, expected } = saved;
  const where = saved.in === null ? '' : ` in '${saved.in}', to which it refers`;
  return fail(code, span, `The saved formula '${name}' has a mistake${where}: ${problem}`, hint, expected);
}

function refuseMany(span: Span, what: string): never {
  const problem = `${what} the formula makes more than ${formulaLimits.tests} tests`;
  fail('too_complex', span, problem, 'Saved formulas that use each other grow fast; use fewer.');
}

/** Checks the limits again, now including the tests of saved formulas. */
function refuseExcess(node: Node, condition: Condition, tests: number): void {
  const { span } = leavesOf<Leaf>(node).find(({ kind }) => kind === 'saved') ?? node;
  if (tests > formulaLimits.tests) refuseMany(span, 'With saved formulas expanded');
  const pictures = leavesOf<Test>(condition).filter((test) => test.kind === 'similarity');
  const references = pictures.reduce((sum, test) => sum + test.references.length, 0);
  const verifications = pictures.filter(({ operator }) => operator === '====').length;
  if (references <= formulaLimits.references && verifications <= formulaLimits.verifications) return;
  const problem = `With saved formulas expanded there are more than ${formulaLimits.references} similarity references, or more than one verification`;
  fail('too_complex', span, problem, 'Use fewer pictures.');
}

/** Gives all parts of a saved formula the span of the reference, because their positions belong to another text. */
function placeAt(span: Span, condition: Condition): Condition {
  if (!isBranch<Test>(condition)) {
    if (condition.kind !== 'similarity') return { ...condition, span };
    return { ...condition, span, references: condition.references.map((reference) => ({ ...reference, span })) };
  }
  if (condition.kind === 'not') return { ...condition, item: placeAt(span, condition.item), span };
  return { ...condition, items: condition.items.map((item) => placeAt(span, item)), span };
}
