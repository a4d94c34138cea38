import type { Resource } from '../catalog/index.ts';
import { AppError } from '../errors.ts';
import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import type { Leaf } from './formula/index.ts';
import { FormulaError, printFormula, readFormula, toProblem } from './formula/index.ts';
import { formulaLimits } from './formula/limits.ts';
import { parseFormula } from './formula/parser.ts';

/** A formula that a tenant keeps under a name; `saved:name` stands for it. */
export type SavedFormula = Readonly<{ name: string; formula: string; createdAt: Date; updatedAt: Date }>;

/** Most formulas of one tenant, and the longest name in code points. */
const savedLimits = { formulas: 1000, nameLength: 100 } as const;

const columns = 'name, formula, created_at AS "createdAt", updated_at AS "updatedAt"';

const find = tenantStatement(
  'find-saved-formulas',
  'SELECT name, formula FROM saved_formula WHERE tenant_id = $1 AND name = ANY($2::text[])',
);
const list = tenantStatement(
  'list-saved-formulas',
  `SELECT ${columns} FROM saved_formula WHERE tenant_id = $1 ORDER BY name LIMIT $2 OFFSET $3`,
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
const remove = tenantStatement(
  'delete-saved-formula',
  `DELETE FROM saved_formula WHERE tenant_id = $1 AND name = $2 RETURNING ${columns}`,
);

/** Whether a formula may name saved ones; most do not, and then cost no look. */
export function namesSaved(formula: string): boolean {
  return /saved\s*:/i.test(formula);
}

/** The tenant's saved formulas that a formula names, those that they name, and so on. */
export async function savedFormulasOf(db: TenantDb, formula: string): Promise<(name: string) => string | null> {
  const found = new Map<string, string>();
  const asked = new Set<string>();
  let next = namesIn(formula);
  for (let depth = 0; next.length > 0 && depth <= formulaLimits.depth; depth += 1) {
    for (const name of next) asked.add(name);
    const { rows } = await db.query<{ name: string; formula: string }>(find, [next]);
    for (const row of rows) found.set(row.name, row.formula);
    next = [...new Set(rows.flatMap((row) => namesIn(row.formula)))].filter((name) => !asked.has(name));
  }
  return (name) => found.get(name) ?? null;
}

/** The names of saved formulas in a text, up to its first mistake. */
function namesIn(formula: string): string[] {
  if (!namesSaved(formula)) return [];
  const leaves: Leaf[] = [];
  try {
    parseFormula(formula, leaves);
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error;
  }
  return [...new Set(leaves.flatMap((leaf) => (leaf.kind === 'saved' ? [leaf.name] : [])))];
}

/**
 * Keeps a formula under a name.
 *
 * @throws AppError `invalid_formula` where it has a mistake or leads back to its own name,
 * `invalid_argument` for a name that cannot be or is taken.
 */
export async function saveFormula(
  db: TenantDb,
  { name, formula, replaces }: Readonly<{ name: string; formula: string; replaces: boolean }>,
): Promise<SavedFormula> {
  checkName(name);
  const text = checkSaved(name, formula, await savedFormulasOf(db, formula));
  const { rows: counted } = await db.query<{ count: number }>(count);
  if ((counted[0]?.count ?? 0) >= savedLimits.formulas && (await savedFormulasOf(db, `saved:"${name}"`))(name) === null)
    throw new AppError('invalid_argument', `A tenant keeps at most ${savedLimits.formulas} formulas`, {
      argument: 'name',
      hint: 'Delete one that is no longer used',
    });
  const { rows } = await db.query<SavedFormula>(replaces ? replace : insert, [name, text]);
  const [saved] = rows;
  if (saved !== undefined) return saved;
  const hint = 'Choose another name, or set replace';
  throw new AppError('invalid_argument', `A formula is saved as '${name}' already`, { argument: 'name', hint });
}

function checkName(name: string): void {
  const isPlain = name.trim() === name && name.isWellFormed() && !/[\p{Cc}"“”\\]/u.test(name);
  if (isPlain && name !== '' && [...name].length <= savedLimits.nameLength) return;
  const message = `A name has 1 to ${savedLimits.nameLength} characters, none of them a control sign, quote or backslash`;
  throw new AppError('invalid_argument', message, { argument: 'name' });
}

/** The formula in canonical form; it has to make sense for images or for videos. */
function checkSaved(name: string, formula: string, findSaved: (name: string) => string | null): string {
  const read = (resource: Resource) => readFormula(formula, { resource, now: Date.now(), findSaved, savedAs: name });
  try {
    return printFormula(read('image').node);
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error;
    try {
      return printFormula(read('video').node);
    } catch {
      throw new AppError('invalid_formula', error.message, toProblem(formula, error));
    }
  }
}

/** The saved formulas of a tenant, by name. */
export async function listSavedFormulas(
  db: TenantDb,
  { page, limit }: Readonly<{ page: number; limit: number }>,
): Promise<Readonly<{ results: SavedFormula[]; count: () => Promise<number> }>> {
  const { rows } = await db.query<SavedFormula>(list, [limit, (page - 1) * limit]);
  return {
    results: rows,
    count: async () => (await db.query<{ count: number }>(count)).rows[0]?.count ?? 0,
  };
}

/** Forgets a saved formula; null where the tenant has none of that name. */
export async function deleteSavedFormula(db: TenantDb, name: string): Promise<SavedFormula | null> {
  const { rows } = await db.query<SavedFormula>(remove, [name]);
  return rows[0] ?? null;
}
