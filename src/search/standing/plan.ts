import { LRUCache } from 'lru-cache';
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
import { namesSaved } from '../query/saved-formulas.ts';
import { isRelative, periodsOf, readStanding } from './read-standing.ts';
import type { PeriodTest, StandingClock } from './read-standing.ts';
import { toShapes } from './shapes.ts';
import type { FormulaShape } from './shapes.ts';

/** A condition with similarity terms, which is evaluated separately. */
export type SimilarFormula = Readonly<{ id: number; resource: Resource; condition: Condition }>;

/** The date tests of a formula that depend on the current time. */
export type DatedFormula = Readonly<{ id: number; resource: Resource; periods: readonly PeriodTest[] }>;

/** A tenant's standing formulas, compiled as of a moment. */
export type Plan = Readonly<{
  version: number;
  clock: StandingClock;
  names: ReadonlyMap<number, string>;
  shapes: readonly FormulaShape[];
  similar: readonly SimilarFormula[];
  /** Formulas with relative dates. */
  dated: readonly DatedFormula[];
  /** Formulas that cannot be read now, because a saved formula that they refer to is missing or faulty. */
  unread: ReadonlySet<number>;
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
  const compiled: (Compiled & Readonly<{ id: number }>)[] = [];
  const similar: SimilarFormula[] = [];
  const dated: DatedFormula[] = [];
  const unread = new Set<number>();
  for (const { id, formula } of rows) {
    if (slice.isOver) await slice.pause();
    const read = await readOnce(db, formula, clock);
    if (read.compiled.length + read.similar.length === 0) unread.add(id);
    for (const each of read.dated) dated.push({ id, ...each });
    for (const each of read.similar) similar.push({ id, ...each });
    for (const each of read.compiled) compiled.push({ id, ...each });
  }
  const textOf = await evaluateConstants(
    client,
    compiled.flatMap(({ constants, requirement }) => [
      ...constants,
      ...(requirement ?? []).flatMap((part) => (part.column === 'terms' ? [] : [part.query])),
    ]),
    slice,
  );
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return { version, clock, names, shapes: await toShapes(compiled, textOf, slice), similar, dated, unread };
}

/** A formula, compiled for each kind of records. */
type ReadFormula = Readonly<{
  compiled: readonly Compiled[];
  similar: readonly Omit<SimilarFormula, 'id'>[];
  dated: readonly Omit<DatedFormula, 'id'>[];
}>;

/**
 * Caches formulas that depend only on their text and time zone: a plan is reloaded whenever one of thousands changes.
 */
const known = new LRUCache<string, ReadFormula>({ max: 20_000 });

async function readOnce(db: TenantDb, formula: string, clock: StandingClock): Promise<ReadFormula> {
  const key = `${clock.timeZone ?? ''} ${formula}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const read = await readStanding(db, formula, clock);
  const moves = await isRelative(db, formula, read, clock);
  const result: ReadFormula = {
    compiled: read
      .filter(({ condition }) => !isSimilar(condition))
      .map(({ resource, condition }) => compileStanding(condition, resource)),
    similar: read.filter(({ condition }) => isSimilar(condition)),
    dated: moves ? read.map(({ resource, condition }) => ({ resource, periods: periodsOf(condition) })) : [],
  };
  if (!moves && !namesSaved(formula)) known.set(key, result);
  return result;
}

/** Whether a condition compares pictures. */
export function isSimilar(condition: Condition): boolean {
  return leavesOf<Test>(condition).some(({ kind }) => kind === 'similarity');
}
