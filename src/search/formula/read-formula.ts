import type { Resource } from '../../catalog/index.ts';
import type { Leaf, Node, Span } from './ast.ts';
import { checkFormula, checkLeaf } from './check.ts';
import type { CheckOptions } from './check.ts';
import type { Condition } from './conditions.ts';
import { fail, FormulaError } from './errors.ts';
import { formulaLimits } from './limits.ts';
import { parseFormula } from './parser.ts';
import { normalizeFormula } from './print.ts';

export type ReadOptions = Readonly<{
  resource: Resource;
  /** The moment that relative dates count from, milliseconds since 1970. */
  now: number;
  /** The text of a saved formula, or null. */
  findSaved?: (name: string) => string | null;
}>;

/** A formula as it was written and as it is understood; both null for an empty one, which asks for everything. */
export type ReadFormula = Readonly<{ node: Node | null; condition: Condition | null }>;

/**
 * Parses, checks and normalizes a formula.
 *
 * @throws FormulaError for the first mistake from the left, and nothing else.
 */
export function readFormula(formula: string, options: ReadOptions): ReadFormula {
  return read(formula, options, []);
}

function read(formula: string, { resource, now, findSaved }: ReadOptions, within: readonly string[]): ReadFormula {
  const resolveSaved: CheckOptions['resolveSaved'] = (name, span) => {
    const text = findSaved?.(name) ?? null;
    if (text === null) return null;
    refuseEndless(name, span, within);
    return readSaved(name, span, () =>
      read(text, { resource, now, ...(findSaved && { findSaved }) }, [...within, name]),
    );
  };
  const options: CheckOptions = { resource, now, resolveSaved };
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
