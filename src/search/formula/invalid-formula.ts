import { AppError } from '../../lib/errors.ts';
import { toProblem } from './index.ts';
import type { FormulaError } from './index.ts';

/** Returns the error that reports a mistake in a formula to the client. */
export function invalidFormula(formula: string, mistake: FormulaError): AppError {
  return new AppError('invalid_formula', mistake.message, toProblem(formula, mistake));
}
