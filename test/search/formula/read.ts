import { FormulaError, readFormula } from '../../../src/search/formula/index.ts';
import type { ReadOptions } from '../../../src/search/formula/index.ts';
import { formatFormula } from '../../../src/search/formula/format.ts';

/** Noon of a Saturday: the week began on Monday the 10th. */
export const now = Date.parse('2024-06-15T12:00:00Z');

export function read(formula: string, options: Partial<ReadOptions> = {}): ReturnType<typeof readFormula> {
  return readFormula(formula, { resource: 'image', now, ...options });
}

export function canonical(formula: string): string {
  return formatFormula(read(formula).node);
}

/** `code position` of the mistake, or the canonical text where there is none. */
export function outcome(formula: string, options: Partial<ReadOptions> = {}): string {
  try {
    return formatFormula(read(formula, options).node);
  } catch (error) {
    if (error instanceof FormulaError) return `${error.code} ${error.position}`;
    throw error;
  }
}
