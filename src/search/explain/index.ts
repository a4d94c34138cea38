export { clauseKinds } from './clauses.ts';
export type { Clause } from './clauses.ts';
export { explainFormula, warningCodes } from './explain.ts';
export type { Explanation, Warning } from './explain.ts';
export { tongues } from './labels.ts';
export type { Tongue } from './labels.ts';
export { messages as explanationMessages } from './messages.ts';
export type { Suggestion } from './suggestions.ts';
