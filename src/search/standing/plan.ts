import type { Queryable } from '../../backing/index.ts';
import type { Resource } from '../../catalog/index.ts';
import { TimeSlice } from '../../lib/time-slice.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { Condition, Test } from '../formula/conditions.ts';
import { leavesOf } from '../formula/tree.ts';
import { compileStanding } from './compile.ts';
import type { Compiled } from './compile.ts';
import { evaluateConstants } from './constants.ts';
import { isRelative, periodsOf, readStanding } from './read-standing.ts';
import type { PeriodTest, StandingClock } from './read-standing.ts';
import { toShapes } from './shapes.ts';
import type { FormulaShape } from './shapes.ts';

/** A condition with similarity terms, which is compared on its own. */
export type SimilarFormula = Readonly<{ id: number; resource: Resource; condition: Condition }>;

/** Tests of dates of a formula that depends on the time. */
export type DatedFormula = Readonly<{ id: number; resource: Resource; periods: readonly PeriodTest[] }>;

/** A tenant's standing formulas, compiled for a moment. */
export type Plan = Readonly<{
  version: number;
  clock: StandingClock;
  names: ReadonlyMap<number, string>;
  shapes: readonly FormulaShape[];
  similar: readonly SimilarFormula[];
  /** Formulas with relative dates. */
  dated: readonly DatedFormula[];
}>;

const list = tenantStatement(
  'standing-formulas',
  `SELECT f.id, f.name, s.formula FROM standing_formula f
   JOIN saved_formula s ON s.tenant_id = f.tenant_id AND s.name = f.name WHERE f.tenant_id = $1 ORDER BY f.id`,
);

/** Compiles the tenant's standing formulas as of a moment. */
export async function loadPlan(
  db: TenantDb,
  client: Queryable,
  { version, clock }: Readonly<{ version: number; clock: StandingClock }>,
): Promise<Plan> {
  const { rows } = await db.query<{ id: number; name: string; formula: string }>(list, [], client);
  const slice = new TimeSlice(db.tenantId);
  const compiled: (Compiled & { id: number })[] = [];
  const similar: SimilarFormula[] = [];
  const dated: DatedFormula[] = [];
  for (const { id, formula } of rows) {
    if (slice.isOver) await slice.pause();
    const read = await readStanding(db, formula, clock);
    const moves = await isRelative(db, formula, read, clock);
    for (const { resource, condition } of read) {
      if (moves) dated.push({ id, resource, periods: periodsOf(condition) });
      if (isSimilar(condition)) similar.push({ id, resource, condition });
      else compiled.push({ id, ...compileStanding(condition, resource) });
    }
  }
  const textOf = await evaluateConstants(
    client,
    compiled.flatMap(({ constants, requirement }) => [
      ...constants,
      ...(requirement ?? []).flatMap((part) => (part.column === 'terms' ? [] : [part.query])),
    ]),
  );
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return { version, clock, names, shapes: toShapes(compiled, textOf), similar, dated };
}

/** Whether a condition compares pictures. */
export function isSimilar(condition: Condition): boolean {
  return leavesOf<Test>(condition).some(({ kind }) => kind === 'similarity');
}
