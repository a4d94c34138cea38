import { resources } from '../../catalog/index.ts';
import type { Resource } from '../../catalog/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { FormulaError } from '../formula/errors.ts';
import type { Condition, Test } from '../formula/conditions.ts';
import { checkParsed, parse } from '../formula/read-formula.ts';
import { leavesOf } from '../formula/tree.ts';
import { findSaved, namesSaved } from '../query/saved-formulas.ts';

/** The moment that relative dates refer to, and the time zone in which days begin. */
export type StandingClock = Readonly<{ now: number; timeZone: string | null }>;

/** What a formula requires of one kind of records. */
type StandingCondition = Readonly<{ resource: Resource; condition: Condition }>;

/** Reads a formula for each kind of records that it is valid for. */
export async function readStanding(db: TenantDb, formula: string, clock: StandingClock): Promise<StandingCondition[]> {
  const parsed = parse(formula);
  const found: StandingCondition[] = [];
  for (const resource of resources) {
    const options = { resource, ...clock };
    try {
      const named = namesSaved(formula) ? { findSaved: await findSaved(db, parsed, options) } : {};
      const { condition } = checkParsed(parsed, { ...options, ...named });
      found.push({ resource, condition: condition ?? { kind: 'everything', span: { start: 0, end: 0 } } });
    } catch (error) {
      if (!(error instanceof FormulaError)) throw error; // It is not valid for these records.
    }
  }
  return found;
}

export type PeriodTest = Extract<Test, { kind: 'period' }>;

/** Returns the date tests, in the order of the formula. */
export function periodsOf(condition: Condition): readonly PeriodTest[] {
  return leavesOf<Test>(condition).filter((test) => test.kind === 'period');
}

const day = 86_400_000;

/** Whether the meaning of a formula depends on when it is read. */
export async function isRelative(
  db: TenantDb,
  formula: string,
  read: readonly StandingCondition[],
  clock: StandingClock,
): Promise<boolean> {
  if (!read.some(({ condition }) => periodsOf(condition).length > 0)) return false;
  const later = await readStanding(db, formula, { ...clock, now: clock.now + 400.5 * day });
  const ends = (conditions: readonly StandingCondition[]) =>
    JSON.stringify(conditions.map(({ condition }) => periodsOf(condition).map(({ from, to }) => [from, to])));
  return ends(read) !== ends(later);
}
