export { clauseKinds } from './clauses.ts';
export { explainFormula, warningCodes } from './explain.ts';
export type { Explanation, Warning } from './explain.ts';
export { locales } from './labels.ts';
export type { Locale } from './labels.ts';
export { messages as explanationMessages } from './messages.ts';
export type { Suggestion } from './suggestions.ts';
