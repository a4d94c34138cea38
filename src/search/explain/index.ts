export { clauseKinds } from './clauses.ts';
export { explainFormula, warningCodes } from './explain.ts';
export type { Explanation, FormulaWarning } from './explain.ts';
export { messages as explanationMessages } from './messages.ts';
export type { Suggestion } from './suggestions.ts';
