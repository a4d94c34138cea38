export type { Node } from './ast.ts';
export { comparatorsOf } from './check/check.ts';
export type { Condition, Test } from './conditions.ts';
export { FormulaError, formulaErrorCodes, toProblem } from './errors.ts';
export type { Span } from './errors.ts';
export { formatFormula } from './format.ts';
export { checkParsed, parse, readFormula } from './read-formula.ts';
export type { ReadFormula, ReadOptions } from './read-formula.ts';
