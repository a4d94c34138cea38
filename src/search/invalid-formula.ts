import { AppError } from '../errors.ts';
import { toProblem } from './formula/index.ts';
import type { FormulaError } from './formula/index.ts';

/** What the caller of a request is told of a mistake in a formula. */
export function invalidFormula(formula: string, mistake: FormulaError): AppError {
  return new AppError('invalid_formula', mistake.message, toProblem(formula, mistake));
}
