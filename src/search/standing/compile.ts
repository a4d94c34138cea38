import type { Resource } from '../../catalog/index.ts';
import type { Condition, Test } from '../formula/conditions.ts';
import { compileCondition, indexedTerm } from '../formula/to-sql.ts';
import type { SqlOptions, TextColumn } from '../formula/to-sql.ts';
import { isBranch } from '../formula/tree.ts';

/** An expression that depends on no row, such as a word query; evaluated once, when formulas are loaded. */
export type Constant = Readonly<{ sql: string; values: readonly string[] }>;

/** What a row must contain for a condition to hold: a value in `terms`, or a word in `stems` or `words`. */
type Requirement = Readonly<{ column: 'terms'; token: string }> | Readonly<{ column: TextColumn; query: Constant }>;

/**
 * A condition as SQL whose values are columns of a table `standing`: `a0`, `a1`, … and, for constants, `q0`, `q1`, …
 * This way a single statement evaluates all formulas of the same shape.
 */
export type Compiled = Readonly<{
  resource: Resource;
  sql: string;
  values: readonly string[];
  constants: readonly Constant[];
  /** A row that has none of these cannot match; null if any row might. */
  requirement: readonly Requirement[] | null;
}>;

/** Compiles a condition without similarity terms. */
export function compileStanding(condition: Condition, resource: Resource): Compiled {
  const constants: Constant[] = [];
  const { values, parameter } = collectValues();
  const constant: SqlOptions['constant'] = (make) => `standing.q${constants.push(toConstant(make)) - 1}`;
  const sql = compileCondition(condition, { resource, lang: 'ml', parameter, constant });
  return { resource, sql, values, constants, requirement: requirementOf(condition, resource) };
}

function collectValues() {
  const values: string[] = [];
  return { values, parameter: (value: unknown) => `standing.a${values.push(toText(value)) - 1}` };
}

function toConstant(make: (add: SqlOptions['parameter']) => string): Constant {
  const { values, parameter } = collectValues();
  return { sql: make(parameter), values };
}

/** Returns a value as text that PostgreSQL can read. */
function toText(value: unknown): string {
  return Array.isArray(value) ? arrayLiteral(value.map(String)) : String(value);
}

/** Returns an array of texts in PostgreSQL's notation. */
export function arrayLiteral(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

/** Returns alternatives; a matching row has at least one of them. Null if none are known. */
function requirementOf(condition: Condition, resource: Resource): readonly Requirement[] | null {
  if (!isBranch<Test>(condition)) return requirementOfTest(condition, resource);
  if (condition.kind === 'not') return null;
  const parts = condition.items.map((item) => requirementOf(item, resource));
  if (condition.kind === 'or') return parts.every((part) => part !== null) ? parts.flat() : null;
  // Takes the alternatives that are cheapest to look up; values first, because a record has fewer values than words.
  const known = parts.filter((part) => part !== null);
  const cost = (part: readonly Requirement[]) =>
    part.length + (part.every((each) => each.column === 'terms') ? 0 : 100);
  return known.toSorted((a, b) => cost(a) - cost(b))[0] ?? null;
}

function requirementOfTest(test: Test, resource: Resource): readonly Requirement[] | null {
  if (test.kind === 'value') {
    const term = indexedTerm(test);
    return term === null ? null : [{ column: 'terms', token: term }];
  }
  if (test.kind !== 'words' || (test.field.weight === null && test.field.name !== 'text')) return null;
  const queries: Requirement[] = [];
  const constant: SqlOptions['constant'] = (make, column) => {
    queries.push({ column, query: toConstant(make) });
    return 'null';
  };
  compileCondition(test, { resource, lang: 'ml', parameter: () => 'null', constant });
  return queries.length === 0 ? null : queries;
}
