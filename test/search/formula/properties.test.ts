import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Leaf } from '../../../src/search/formula/ast.ts';
import { FormulaError } from '../../../src/search/formula/index.ts';
import { formulaLimits } from '../../../src/search/formula/limits.ts';
import { parseFormula } from '../../../src/search/formula/parse/parser.ts';
import { formatFormula } from '../../../src/search/formula/format.ts';
import { leavesOf } from '../../../src/search/formula/tree.ts';
import { anyFormula, anyNode } from './arbitrary.ts';
import { mayAskSimilarity } from '../../../src/search/index.ts';
import { read } from './read.ts';
import { runsOf, timed } from '../../support/effort.ts';

const numRuns = runsOf('formulas');

/** Where a formula is at fault; of a good one, that its canonical text means itself. */
function judge(formula: string): { position: number; end: number; hint: string } {
  try {
    const text = formatFormula(read(formula).node);
    expect(formatFormula(read(text).node)).toBe(text);
    return { position: 0, end: 0, hint: 'none' };
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error;
    return { position: error.position, end: error.position + error.length, hint: error.hint };
  }
}

describe('any text', () => {
  it('is a formula or has a mistake at a place of its own', () => {
    const property = fc.property(anyFormula, (formula) => {
      const { length } = [...formula];
      const { position, end, hint } = judge(formula);
      expect([position >= 0, end <= length, hint !== '']).toEqual([true, true, true]);
    });
    fc.assert(property, { numRuns });
  });

  it('is judged in a moment, however long', timed, () => {
    for (const part of ['(', '-', '"', 'a ', 'a:', 'a,', '\\', '..', 'i~(', 'keywords:(', '*', '1:', '|', '– ']) {
      const started = performance.now();
      expect(() => read(part.repeat(5000 / part.length))).toThrow(FormulaError);
      expect(performance.now() - started).toBeLessThan(1000);
    }
  });
});

describe('any tree', () => {
  it('may ask for similarity where it has such a term, or a saved formula that could have one', () => {
    const property = fc.property(anyNode, (node) => {
      fc.pre(leavesOf<Leaf>(node).some(({ kind }) => kind === 'similarity' || kind === 'saved'));
      expect(mayAskSimilarity(formatFormula(node))).toBe(true);
    });
    fc.assert(property, { numRuns });
    expect(['', 'boats', 'country:es width:..1000', '"a saved word"'].map(mayAskSimilarity)).not.toContain(true);
  });

  it('is the same when its text is read again', () => {
    const property = fc.property(anyNode, (node) => {
      fc.pre(leavesOf<Leaf>(node).filter(({ kind }) => kind === 'similarity').length <= formulaLimits.references);
      const text = formatFormula(node);
      expect(formatFormula(parseFormula(text))).toBe(text);
    });
    fc.assert(property, { numRuns });
  });
});
