import type { Resource } from '../../catalog/index.ts';
import type { Leaf, Node, Span } from './ast.ts';
import { checkFormula, checkLeaf } from './check.ts';
import type { CheckOptions } from './check.ts';
import type { Condition, Test } from './conditions.ts';
import { fail, FormulaError } from './errors.ts';
import type { FormulaErrorCode } from './errors.ts';
import { formulaLimits } from './limits.ts';
import { parseFormula } from './parser.ts';
import { normalizeFormula } from './format.ts';
import { isBranch, leavesOf } from './tree.ts';

/** What is wrong with a saved formula, in the words of the place where it is: another saved formula, if `in` names one. */
export type SavedMistake = Readonly<{
  code: FormulaErrorCode;
  problem: string;
  hint: string;
  expected?: readonly string[];
  in: string | null;
}>;

/** What a saved formula stands for: how many tests it makes and how many others it goes through; or what is wrong with it. */
export type Saved = Readonly<{ condition: Condition; tests: number; height: number }> | SavedMistake;

export type ReadOptions = Readonly<{
  resource: Resource;
  /** The moment that relative dates count from, milliseconds since 1970. */
  now: number;
  /** Where days begin: an IANA time zone, or null for UTC. */
  timeZone?: string | null | undefined;
  /** What a saved formula stands for; null where none is kept under the name. */
  findSaved?: ((name: string) => Saved | null) | undefined;
}>;

/** A formula whose syntax was read, as far as it goes: its terms from the left, and its first mistake. */
export type Parsed = Readonly<{ node: Node | null; leaves: readonly Leaf[]; mistake: FormulaError | null }>;

/** A formula as it was written and as it is understood; both null for an empty one, which asks for everything. */
export type ReadFormula = Readonly<{
  node: Node | null;
  condition: Condition | null;
  /** Tests of the condition. */
  tests: number;
  /** Saved formulas that it goes through, one inside the other. */
  height: number;
}>;

/** Reads the syntax of a formula. Never throws a FormulaError: the mistake is part of the result. */
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
 * @throws FormulaError for the first mistake from the left, and nothing else.
 */
export function readFormula(formula: string, options: ReadOptions): ReadFormula {
  return checkParsed(parse(formula), options);
}

/** Checks and normalizes a formula whose syntax was read. @throws FormulaError as `readFormula` does. */
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

/** A term before a mistake may have one too, which comes first. */
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

/** Puts what saved formulas stand for in the place of their names, as far as that is within the limits. */
class Expansion {
  readonly options: CheckOptions;
  /** Of the saved formulas that were named. */
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

/** A mistake inside a saved formula is shown at its name: its own positions are of another text. */
function refuseMistaken(name: string, span: Span, saved: SavedMistake): never {
  const { code, problem, hint, expected } = saved;
  const where = saved.in === null ? '' : ` in '${saved.in}', to which it refers`;
  return fail(code, span, `The saved formula '${name}' has a mistake${where}: ${problem}`, hint, expected);
}

function refuseMany(span: Span, what: string): never {
  const problem = `${what} the formula makes more than ${formulaLimits.tests} tests`;
  fail('too_complex', span, problem, 'Saved formulas that use each other grow fast; use fewer.');
}

/** What saved formulas ask counts with the rest. */
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

/** A saved formula's own places are of another text: all of it is where its name stands. */
function placeAt(span: Span, condition: Condition): Condition {
  if (!isBranch<Test>(condition)) {
    if (condition.kind !== 'similarity') return { ...condition, span };
    return { ...condition, span, references: condition.references.map((reference) => ({ ...reference, span })) };
  }
  if (condition.kind === 'not') return { ...condition, item: placeAt(span, condition.item), span };
  return { ...condition, items: condition.items.map((item) => placeAt(span, item)), span };
}
