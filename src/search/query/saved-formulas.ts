import { isDuplicate } from '../../backing/index.ts';
import { naturalOrder } from '../../catalog/index.ts';
import type { Resource } from '../../catalog/index.ts';
import { AppError } from '../../lib/errors.ts';
import { givenNameRule, isGivenName } from '../../lib/given-name.ts';
import { readCount, readPage, tenantStatement } from '../../tenants/index.ts';
import type { Page, PageAsked, TenantDb } from '../../tenants/index.ts';
import { TimeSlice } from '../../lib/time-slice.ts';
import { fail, FormulaError } from '../formula/errors.ts';
import { formatFormula } from '../formula/index.ts';
import { invalidFormula } from '../formula/invalid-formula.ts';
import { formulaLimits, maxUnits } from '../formula/limits.ts';
import { checkParsed, parse } from '../formula/read-formula.ts';
import type { Parsed, Saved } from '../formula/read-formula.ts';
import { namesIn, readSaved } from '../formula/read-saved.ts';
import type { SavedFormulas, SavedOptions } from '../formula/read-saved.ts';
import { lockToRename, renameReferences } from './rename-references.ts';

/** A formula that a tenant saved under a name; `saved:name` refers to it. */
export type SavedFormula = Readonly<{
  name: string;
  formula: string;
  watching: boolean;
  createdAt: Date;
  updatedAt: Date;
}>;

/** Maximum number of formulas per tenant. */
export const savedLimits = { formulas: 10_000 } as const;

const columnsOf = (name: string) => `name, formula, created_at AS "createdAt", updated_at AS "updatedAt", EXISTS (
    SELECT FROM standing_formula f WHERE f.tenant_id = $1 AND f.name = ${name}
  ) AS watching`;
const columns = columnsOf('saved_formula.name');

const find = tenantStatement(
  'find-saved-formulas',
  'SELECT name, formula FROM saved_formula WHERE tenant_id = $1 AND name = ANY($2::text[])',
);
const list = tenantStatement(
  'list-saved-formulas',
  `SELECT ${columns} FROM saved_formula WHERE tenant_id = $1 ORDER BY name ${naturalOrder} LIMIT $2 OFFSET $3`,
);
const count = tenantStatement(
  'count-saved-formulas',
  'SELECT count(*) AS count FROM saved_formula WHERE tenant_id = $1',
);
const insert = tenantStatement(
  'insert-saved-formula',
  `INSERT INTO saved_formula (tenant_id, name, formula) VALUES ($1, $2, $3)
   ON CONFLICT (tenant_id, name) DO NOTHING RETURNING ${columns}`,
);
const replace = tenantStatement(
  'replace-saved-formula',
  `INSERT INTO saved_formula (tenant_id, name, formula) VALUES ($1, $2, $3)
   ON CONFLICT (tenant_id, name) DO UPDATE SET formula = EXCLUDED.formula, updated_at = now() RETURNING ${columns}`,
);
/** Standing formulas keep the former name until this statement has ended. */
const rename = tenantStatement(
  'rename-saved-formula',
  `UPDATE saved_formula SET name = $3, updated_at = now() WHERE tenant_id = $1 AND name = $2 RETURNING ${columnsOf('$2')}`,
);
const remove = tenantStatement(
  'delete-saved-formula',
  `DELETE FROM saved_formula WHERE tenant_id = $1 AND name = $2 RETURNING ${columns}`,
);

/** Whether a formula may refer to saved ones. Most do not, and skip the lookup. */
export function namesSaved(formula: string): boolean {
  return formula.length <= maxUnits && /saved\s*:/i.test(formula);
}

/**
 * Resolves the saved formulas that a formula references, directly or indirectly.
 *
 * @throws FormulaError `too_complex` if there are too many.
 */
export async function findSaved(
  db: TenantDb,
  formula: Parsed,
  options: SavedOptions,
): Promise<(name: string) => Saved | null> {
  const read = await readSaved(await savedFormulasOf(db, formula), options);
  return (name) => read.get(name) ?? null;
}

/** Reads the tenant's saved formulas that a formula references, directly or indirectly. */
async function savedFormulasOf(db: TenantDb, formula: Parsed): Promise<SavedFormulas> {
  const found = new Map<string, Parsed>();
  const asked = new Set<string>();
  const slice = new TimeSlice(db.tenantId);
  for (let next = namesIn(formula); next.length > 0;) {
    for (const name of next) asked.add(name);
    const { rows } = await db.query<{ name: string; formula: string }>(find, [next]);
    if (found.size + rows.length > formulaLimits.savedFormulas) refuseMany(formula);
    const names = new Set<string>();
    for (const row of rows) {
      if (slice.isOver) await slice.pause();
      const parsed = parse(row.formula);
      found.set(row.name, parsed);
      for (const name of namesIn(parsed)) if (!asked.has(name)) names.add(name);
    }
    next = [...names];
  }
  return found;
}

function refuseMany({ leaves }: Parsed): never {
  const span = leaves.find(({ kind }) => kind === 'saved')?.span ?? { start: 0, end: 0 };
  const problem = `The formula refers to more than ${formulaLimits.savedFormulas} saved formulas`;
  return fail('too_complex', span, problem, 'Use fewer, or replace them by their formulas.');
}

/**
 * Saves a formula under a name.
 *
 * @throws AppError `invalid_formula` if it has a mistake or a cycle of references,
 * `invalid_argument` for a name that is invalid or taken.
 */
export async function saveFormula(
  db: TenantDb,
  { name, formula, replaces }: Readonly<{ name: string; formula: string; replaces: boolean }>,
): Promise<SavedFormula> {
  checkName(name);
  const text = await checkSaved(db, name, formula);
  if ((await readCount(db, count)) >= savedLimits.formulas && !(await isSaved(db, name)))
    throw new AppError('invalid_argument', `A tenant can save at most ${savedLimits.formulas} formulas`, {
      argument: 'name',
      hint: 'Delete one that is no longer used',
    });
  const { rows } = await db.query<SavedFormula>(replaces ? replace : insert, [name, text]);
  const [saved] = rows;
  if (saved !== undefined) return saved;
  const hint = 'Choose another name, or set replace';
  throw new AppError('invalid_argument', `A formula '${name}' already exists`, { argument: 'name', hint });
}

async function isSaved(db: TenantDb, name: string): Promise<boolean> {
  return (await db.query(find, [[name]])).rows.length > 0;
}

function checkName(name: string): void {
  if (!isGivenName(name)) throw new AppError('invalid_argument', givenNameRule, { argument: 'name' });
}

/** Returns the formula in canonical form; it must be valid for images or for videos. */
async function checkSaved(db: TenantDb, name: string, formula: string): Promise<string> {
  const ofImages = await canonicalText(db, name, formula, 'image');
  if (typeof ofImages === 'string') return readable(ofImages);
  const ofVideos = await canonicalText(db, name, formula, 'video');
  if (typeof ofVideos === 'string') return readable(ofVideos);
  throw invalidFormula(formula, ofImages);
}

/**
 * Returns the canonical text, which may be longer and deeper than what was written.
 *
 * @throws AppError `invalid_formula`, with a place in the canonical text, if it is beyond the limits.
 */
function readable(text: string): string {
  const { mistake } = parse(text);
  if (mistake !== null) throw invalidFormula(text, mistake);
  return text;
}

async function canonicalText(
  db: TenantDb,
  name: string,
  formula: string,
  resource: Resource,
): Promise<string | FormulaError> {
  const parsed = parse(formula);
  const options = { resource, now: Date.now(), savedAs: name };
  try {
    return formatFormula(checkParsed(parsed, { ...options, findSaved: await findSaved(db, parsed, options) }).node);
  } catch (error) {
    if (error instanceof FormulaError) return error;
    throw error;
  }
}

/** Lists the saved formulas of a tenant, ordered by name. */
export function listSavedFormulas(db: TenantDb, page: PageAsked): Promise<Page<SavedFormula>> {
  return readPage(db, { list, count }, [], page);
}

/** Deletes a saved formula; returns null if the tenant has none with that name. */
export async function deleteSavedFormula(db: TenantDb, name: string): Promise<SavedFormula | null> {
  if (!isGivenName(name)) return null;
  const { rows } = await db.query<SavedFormula>(remove, [name]);
  return rows[0] ?? null;
}

/**
 * Renames a saved formula, including in the formulas that refer to it. Runs inside a transaction.
 *
 * @throws AppError `not_found`, or `invalid_argument` for a name that is invalid or taken.
 */
export async function renameSavedFormula(db: TenantDb, name: string, to: string): Promise<SavedFormula> {
  if (!isGivenName(to)) throw new AppError('invalid_argument', givenNameRule, { argument: 'to' });
  const locked = isGivenName(name) ? await lockToRename(db, name) : [];
  if (!locked.some((each) => each.name === name))
    throw new AppError('not_found', `No formula is saved as '${name}'`, { argument: 'name' });
  const { rows } = await db.query<SavedFormula>(rename, [name, to]).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
    const hint = 'Choose another name';
    throw new AppError('invalid_argument', `A formula '${to}' already exists`, { argument: 'to', hint });
  });
  if (name !== to) await renameReferences(db, locked, { name, to });
  return rows[0] as SavedFormula;
}
