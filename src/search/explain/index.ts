export { clauseKinds } from './clauses.ts';
export { explainFormula, warningCodes } from './explain.ts';
export type { Explanation, FormulaWarning } from './explain.ts';
export { locales } from '../../catalog/index.ts';
export type { Locale } from '../../catalog/index.ts';
export { messages as explanationMessages } from './messages.ts';
export type { Suggestion } from './suggestions.ts';
