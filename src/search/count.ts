import { totalOf } from '../catalog/index.ts';
import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import type { Condition, Test } from './formula/index.ts';
import { isBranch } from './formula/tree.ts';
import { fold } from './formula/words.ts';
import { createParameters, statementOf, whereOf } from './question.ts';
import type { Parameters, Question } from './question.ts';

type ValueTest = Extract<Test, { kind: 'value' }>;

const all = {
  image: tenantStatement('count-images', `SELECT ${totalOf('image')} AS count`),
  video: tenantStatement('count-videos', `SELECT ${totalOf('video')} AS count`),
};

/** How many of the tenant's records answer the question, exactly. */
export async function countRecords(db: TenantDb, question: Question): Promise<number> {
  const { values, parameter } = createParameters();
  const statement =
    question.condition === null
      ? all[question.resource]
      : statementOf(question, `SELECT ${countOf(question, parameter)} AS count`);
  const { rows } = await db.query<{ count: number }>(statement, values);
  return rows[0]?.count ?? 0;
}

/**
 * The number of records that answer a question, as an expression of SQL. What is asked of one indexed value is
 * counted in its index, without a look at the records; a negation is all others.
 */
export function countOf(question: Question, parameter: Parameters['parameter']): string {
  const { condition, resource } = question;
  const count = (where: string) => `(SELECT count(*) FROM ${resource} WHERE ${where})`;
  if (condition?.kind === 'not') {
    return `(${totalOf(resource)} - ${countOf({ ...question, condition: condition.item }, parameter)})`;
  }
  if (condition === null || condition.kind === 'everything') return totalOf(resource);
  const values = indexedValues(condition, resource);
  if (values === null) return count(whereOf(question, parameter));
  const texts = parameter([...new Set(values.texts.map(fold))]);
  return count(`tenant_id = $1 AND search_fold(${values.column}) = ANY (${texts}::text[])`);
}

/** The values of one indexed field, of which any will do. */
function indexedValues(
  condition: Condition,
  resource: Question['resource'],
): Readonly<{ column: string; texts: readonly string[] }> | null {
  const tests = condition.kind === 'or' ? condition.items : [condition];
  const [first] = tests;
  if (first === undefined || isBranch<Test>(first) || first.kind !== 'value') return null;
  const { field } = first;
  const isSame = (test: Condition): test is ValueTest =>
    test.kind === 'value' && test.field === field && !test.isPrefix;
  const column = field.sql[resource];
  if (!field.indexed.includes(resource) || column === undefined || !tests.every(isSame)) return null;
  return { column, texts: tests.map(({ text }) => text) };
}
