import { AppError } from '../../lib/errors.ts';
import { toProblem } from './index.ts';
import type { FormulaError } from './index.ts';

/** What the caller of a request is told of a mistake in a formula. */
export function invalidFormula(formula: string, mistake: FormulaError): AppError {
  return new AppError('invalid_formula', mistake.message, toProblem(formula, mistake));
}
