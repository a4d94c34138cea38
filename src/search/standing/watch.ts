import { AppError } from '../../lib/errors.ts';
import { readCount, tenantQuery, tenantStatement, transactionOf } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { Resource } from '../../catalog/index.ts';
import type { Caller } from '../../similarity/index.ts';
import type { Condition, Test } from '../formula/conditions.ts';
import { FormulaError } from '../formula/errors.ts';
import { invalidFormula } from '../formula/invalid-formula.ts';
import { leavesOf } from '../formula/tree.ts';
import { resolveSimilarity } from '../query/resolve-similarity.ts';
import type { SimilarityServices } from '../query/resolve-similarity.ts';
import { createParameters, whereOf } from '../query/search-query.ts';
import { saveFormula } from '../query/saved-formulas.ts';
import type { SavedFormula } from '../query/saved-formulas.ts';
import { standingQuery } from './evaluate.ts';
import { standingLimits } from './limits.ts';
import { isSimilar } from './plan.ts';
import { readStanding } from './read-standing.ts';
import { findWatched } from './watched.ts';

/** What it takes to start watching, besides the database of the write. */
type WatchDeps = Readonly<{
  /**
   * The database outside the transaction. References of similarity are read through it, several at a time, because
   * their index is shared.
   */
  beside: TenantDb;
  services: SimilarityServices;
  caller: Caller;
}>;

const find = tenantStatement(
  'saved-formula-to-watch',
  `SELECT s.formula, s.created_at AS "createdAt", s.updated_at AS "updatedAt", f.id, (SELECT count(*) FROM standing_formula o WHERE o.tenant_id = $1) AS count
   FROM saved_formula s LEFT JOIN standing_formula f ON f.tenant_id = s.tenant_id AND f.name = s.name
   WHERE s.tenant_id = $1 AND s.name = $2 FOR UPDATE OF s`,
);
const others = tenantStatement(
  'other-standing-formulas',
  `SELECT count(*) AS count FROM standing_formula f JOIN saved_formula s ON s.tenant_id = f.tenant_id AND s.name = f.name
   WHERE f.tenant_id = $1 AND s.formula ~ 'i[=~]'`,
);
const begin = tenantStatement(
  'begin-to-watch',
  'INSERT INTO standing_formula (tenant_id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id',
);
const end = tenantStatement('stop-watching', 'DELETE FROM standing_formula WHERE tenant_id = $1 AND name = $2');
const clockOf = tenantStatement(
  'standing-clock',
  `SELECT (extract(epoch FROM s.clock_at) * 1000)::bigint AS "clockMs", t.time_zone AS "timeZone"
   FROM standing_tenant s JOIN tenant t ON t.id = s.tenant_id WHERE s.tenant_id = $1`,
);

/**
 * Makes a saved formula start or stop watching. It starts out with what matches now, and reports changes from then
 * on.
 *
 * @throws AppError `not_found` if there is no such formula, `invalid_formula` if it cannot watch, `quota_exceeded`.
 */
export async function setWatching(
  db: TenantDb,
  name: string,
  watching: boolean,
  deps: WatchDeps,
): Promise<SavedFormula> {
  return transactionOf(db, async (own) => {
    const { rows } = await own.query<Found>(find, [name]);
    const [saved] = rows;
    if (saved === undefined) throw new AppError('not_found', `No formula is saved as '${name}'`, { argument: 'name' });
    if (watching && saved.id === null) await start(own, { ...saved, name }, deps);
    if (!watching && saved.id !== null) await own.query(end, [name]);
    const { id: _, count: __, ...rest } = saved;
    return { ...rest, name, watching };
  });
}

type SavedAndWatched = Readonly<{
  name: string;
  formula: string;
  replaces: boolean;
  /** Undefined or null leaves it as it is. */
  watching?: boolean | null | undefined;
}>;

/**
 * Saves a formula and makes it watch, or does neither. If it replaces one that watches, watching starts over.
 *
 * @throws AppError as `saveFormula` and `setWatching` do.
 */
export async function saveAndWatch(
  db: TenantDb,
  { watching, ...formula }: SavedAndWatched,
  deps: WatchDeps,
): Promise<SavedFormula> {
  return transactionOf(db, async (own) => {
    const saved = await saveFormula(own, formula);
    // The save may have waited for another one, and does not see whether that began to watch.
    const isWatching = (await findWatched(own, saved.name)) !== null;
    const goesOn = watching ?? isWatching;
    if (isWatching) await setWatching(own, saved.name, false, deps);
    return goesOn ? setWatching(own, saved.name, true, deps) : { ...saved, watching: false };
  });
}

type Found = Omit<SavedFormula, 'name' | 'watching'> & Readonly<{ id: number | null; count: number }>;

type Starting = Readonly<{ name: string; formula: string; count: number }>;

async function start(own: TenantDb, { name, formula, count }: Starting, deps: WatchDeps) {
  if (count >= standingLimits.formulas) throw tooMany(`${standingLimits.formulas} formulas watch already`);
  // From here on the tenant's rounds wait, so that no change counts as both before and after.
  const { rows } = await own.query<{ id: number }>(begin, [name]);
  const [begun] = rows;
  if (begun === undefined) return; // Another request was first.
  const { rows: clocks } = await own.query<{ clockMs: number; timeZone: string | null }>(clockOf);
  const { clockMs = Date.now(), timeZone = null } = clocks[0] ?? {};
  const read = await readStanding(own, formula, { now: clockMs, timeZone });
  for (const { condition } of read) refuseUnwatchable(formula, condition);
  if (read.some(({ condition }) => isSimilar(condition))) {
    if ((await readCount(own, others)) > standingLimits.similar)
      throw tooMany(`${standingLimits.similar} formulas that compare pictures watch already`);
  }
  for (const { resource, condition } of read)
    await noteMatches(own, { id: begun.id, formula, resource, condition }, deps);
}

function tooMany(problem: string): AppError {
  return new AppError('quota_exceeded', `${problem}, the maximum`, { hint: 'Let another one stop watching first' });
}

/**
 * Refuses similarity that depends on the whole catalog or on something that may be gone: neither can be decided for a
 * single record.
 */
function refuseUnwatchable(formula: string, condition: Condition): void {
  for (const test of leavesOf<Test>(condition)) {
    if (test.kind !== 'similarity') continue;
    const { span, references, operator } = test;
    const scheme = references.find((each) => each.scheme === 'text' || each.scheme === 'url')?.scheme;
    if (scheme === undefined && operator !== '====') continue;
    const what = operator === '====' ? 'i====' : scheme === 'text' ? 'A description' : 'A picture at an address';
    const hint = 'Compare with a record (i~id:…) or a query image (i~hash:…), by i=, i==, i=== or i~.';
    const code = 'not_watchable';
    throw invalidFormula(formula, new FormulaError({ code, span, problem: `${what} cannot be watched`, hint }));
  }
}

type Noted = Readonly<{ id: number; formula: string; resource: Resource; condition: Condition }>;

/** Stores the records that match when watching starts, and forgets former formulas that matched them. */
async function noteMatches(
  own: TenantDb,
  { id, formula, resource, condition }: Noted,
  { beside, services, caller }: WatchDeps,
): Promise<void> {
  const asked = standingQuery(resource, condition);
  const resolved = isSimilar(condition) ? await resolveSimilarity(beside, formula, asked, services, caller) : asked;
  const { values, parameter } = createParameters();
  const formulaId = parameter(id);
  const where = whereOf(resolved, parameter);
  const text = `INSERT INTO standing_match AS m (tenant_id, resource, row_id, formulas)
    SELECT $1, '${resource}', row_id, ARRAY[${formulaId}::int] FROM (
      SELECT row_id FROM ${resource} WHERE ${where} LIMIT ${standingLimits.matches + 1}) AS found ORDER BY row_id
    ON CONFLICT (tenant_id, resource, row_id) DO UPDATE SET formulas = EXCLUDED.formulas || ARRAY(
      SELECT id FROM unnest(m.formulas) AS id WHERE id IN (SELECT f.id FROM standing_formula f WHERE f.tenant_id = $1))`;
  const { rowCount } = await own.query(tenantQuery(text), values);
  if ((rowCount ?? 0) <= standingLimits.matches) return;
  throw new AppError(
    'invalid_argument',
    `The formula matches more than ${standingLimits.matches} ${resource}s, too many to watch`,
    { argument: 'name', hint: 'Narrow it, for example to new records by created_at:>=today' },
  );
}
