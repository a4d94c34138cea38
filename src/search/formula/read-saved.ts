import { TimeSlice } from '../../lib/time-slice.ts';
import { FormulaError } from './errors.ts';
import { formulaLimits } from './limits.ts';
import { checkParsed } from './read-formula.ts';
import type { Parsed, ReadOptions, Saved, SavedMistake } from './read-formula.ts';

/** Parsed saved formulas by name. */
export type SavedFormulas = ReadonlyMap<string, Parsed>;

export type SavedOptions = Omit<ReadOptions, 'findSaved'> &
  Readonly<{
    /** The name that the formula will be saved under: its references must not form a cycle. */
    savedAs?: string | undefined;
  }>;

/** Returns the names of the saved formulas that a formula references, up to its first mistake. */
export function namesIn({ leaves }: Parsed): string[] {
  return [...new Set(leaves.flatMap((leaf) => (leaf.kind === 'saved' ? [leaf.name] : [])))];
}

/**
 * Resolves saved formulas: each one once, after those that it references. Pauses between formulas to let other
 * requests run.
 */
export async function readSaved(formulas: SavedFormulas, options: SavedOptions): Promise<ReadonlyMap<string, Saved>> {
  const { savedAs } = options;
  const read = new Map<string, Saved>();
  const slice = new TimeSlice();
  if (savedAs !== undefined) read.set(savedAs, endless);

  async function readOne(name: string, parsed: Parsed): Promise<void> {
    // A reference to a formula that is being read is a cycle.
    read.set(name, endless);
    for (const inner of namesIn(parsed)) {
      const known = formulas.get(inner);
      if (known !== undefined && !read.has(inner)) await readOne(inner, known);
    }
    if (slice.isOver) await slice.pause();
    read.set(name, meaningOf(parsed, { ...options, findSaved: (inner) => read.get(inner) ?? null }, read));
  }

  for (const [name, parsed] of formulas) if (!read.has(name)) await readOne(name, parsed);
  return read;
}

function meaningOf(parsed: Parsed, options: ReadOptions, read: ReadonlyMap<string, Saved>): Saved {
  try {
    const { condition, tests, height } = checkParsed(parsed, options);
    if (height >= formulaLimits.depth) return tooHigh;
    return { condition: condition ?? { kind: 'everything', span: nowhere }, tests, height: height + 1 };
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error;
    return originOf(parsed, error, read);
  }
}

/** Returns the original mistake, without the chain of references that leads to it. */
function originOf({ leaves }: Parsed, error: FormulaError, read: ReadonlyMap<string, Saved>): SavedMistake {
  const leaf = leaves.find((each) => each.kind === 'saved' && each.nameSpan.start === error.position);
  const inner = leaf?.kind === 'saved' ? read.get(leaf.name) : undefined;
  if (leaf?.kind === 'saved' && inner !== undefined && 'code' in inner) return { ...inner, in: inner.in ?? leaf.name };
  const { code, problem, hint, expected } = error;
  return { code, problem, hint, expected, in: null };
}

const nowhere = { start: 0, end: 0 };

const endless: SavedMistake = {
  code: 'too_deep',
  problem: 'it refers to itself',
  hint: 'A saved formula cannot refer to itself, directly or through others.',
  in: null,
};

const tooHigh: SavedMistake = {
  code: 'too_deep',
  problem: `more than ${formulaLimits.depth} saved formulas refer to each other`,
  hint: 'Replace the innermost ones by their formulas.',
  in: null,
};
