import type { ElementErrorCode, ErrorCode } from '../../../src/lib/errors.ts';
import type { FormulaErrorCode } from '../../../src/search/formula/errors.ts';
import { ApiError } from '../api/graphql.ts';
import { t } from './index.svelte.ts';

/** What is wrong, and what may help; `hint` is empty if nothing is known to. */
type Problem = Readonly<{ problem: string; hint: string }>;

/** Describes an error in the chosen language, or in the words of the service if there is no translation. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof ApiError))
    return { problem: error instanceof Error ? error.message : t().failedTitle, hint: '' };
  const { requests, messages, formulas, refused } = t().faults;
  const sayMistake = formulas[error.formulaCode as FormulaErrorCode];
  if (sayMistake !== undefined) return sayMistake({ part: error.part, expected: error.expected });
  const own = requests[error.code as ErrorCode] ?? messages[error.message];
  if (own !== undefined) return { problem: own, hint: '' };
  // The position of a mistake in a formula is omitted, because the mistake is marked in the formula itself.
  const message = error.formulaCode === '' ? error.message : error.message.replace(/ at \d+$/, '');
  return { problem: refused(message), hint: error.hint ?? '' };
}

/** The same as a single text. */
export function problemText(error: unknown): string {
  const { problem, hint } = problemOf(error);
  if (hint === '') return problem;
  return `${problem.replace(/[.]$/, '')}. ${hint}`;
}

/** Why an element of an operation failed; null if the service's own words say all that is known. */
export function elementProblem(code: string | undefined): string | null {
  const { elements, analysis } = t().faults;
  return elements[code as ElementErrorCode] ?? analysis[code ?? ''] ?? null;
}
