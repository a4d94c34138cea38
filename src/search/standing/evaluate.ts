import type { PoolClient } from 'pg';
import type { Resource } from '../../catalog/index.ts';
import { AppError } from '../../lib/errors.ts';
import { unrestricted } from '../../similarity/index.ts';
import { tenantQuery } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { resolveSimilarity } from '../query/resolve-similarity.ts';
import type { SimilarityServices } from '../query/resolve-similarity.ts';
import { createParameters, whereOf } from '../query/search-query.ts';
import type { SearchQuery } from '../query/search-query.ts';
import type { Plan, SimilarFormula } from './plan.ts';

/** What evaluating standing formulas for some records has found. */
type Evaluated = Readonly<{
  /** The formulas that each record matches. */
  matches: ReadonlyMap<number, ReadonlySet<number>>;
  /** Formulas that cannot be evaluated now because something they refer to is gone. Their matches stay as they are. */
  unknown: ReadonlySet<number>;
}>;

type Pair = Readonly<{ formulaId: number; rowId: number }>;

/** Evaluates all standing formulas for some records of one kind. Reads no other records. */
export async function evaluateRows(
  db: TenantDb,
  client: PoolClient,
  plan: Plan,
  { resource, rows, services, signal }: EvaluateOptions,
): Promise<Evaluated> {
  const matches = new Map<number, Set<number>>();
  const unknown = new Set(plan.unread);
  const add = ({ formulaId, rowId }: Pair) => {
    const known = matches.get(rowId);
    if (known === undefined) matches.set(rowId, new Set([formulaId]));
    else known.add(formulaId);
  };
  const rowIds = `{${rows.join(',')}}`;
  for (const shape of plan.shapes.filter((each) => each.resource === resource)) {
    const found = await db.query<Pair>(tenantQuery(shape.text), [rowIds, ...shape.values], client);
    found.rows.forEach(add);
  }
  for (const formula of plan.similar.filter((each) => each.resource === resource)) {
    const found = await similarRows(db, client, formula, { rowIds, services, signal });
    if (found === null) unknown.add(formula.id);
    else found.forEach((rowId) => add({ formulaId: formula.id, rowId }));
  }
  return { matches, unknown };
}

type EvaluateOptions = Readonly<{
  resource: Resource;
  rows: readonly number[];
  services: SimilarityServices;
  signal: AbortSignal;
}>;

/** Returns the records that match a formula with similarity terms; null if a reference is gone. */
async function similarRows(
  db: TenantDb,
  client: PoolClient,
  { resource, condition }: SimilarFormula,
  { rowIds, services, signal }: Readonly<{ rowIds: string; services: SimilarityServices; signal: AbortSignal }>,
): Promise<readonly number[] | null> {
  const asked = standingQuery(resource, condition);
  let resolved: SearchQuery;
  try {
    resolved = await resolveSimilarity(db, '', asked, services, unrestricted(signal), { rows: rowIds });
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_formula') return null;
    throw error;
  }
  const { values, parameter } = createParameters();
  const rows = parameter(rowIds);
  const text = `SELECT row_id AS "rowId" FROM ${resource}
    WHERE row_id = ANY (${rows}::bigint[]) AND ${whereOf(resolved, parameter)}`;
  const found = await db.query<{ rowId: number }>(tenantQuery(text), values, client);
  return found.rows.map(({ rowId }) => rowId);
}

/** Returns a checked condition as a search query. */
export function standingQuery(resource: Resource, condition: SimilarFormula['condition']): SearchQuery {
  return { resource, lang: 'ml', node: null, condition, digest: 'standing', answers: new Map() };
}
