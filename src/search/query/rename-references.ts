import { AppError } from '../../lib/errors.ts';
import { TimeSlice } from '../../lib/time-slice.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { Leaf } from '../formula/ast.ts';
import { formatNormal } from '../formula/format.ts';
import { formulaLimits } from '../formula/limits.ts';
import { parse } from '../formula/read-formula.ts';
import { mapTree } from '../formula/tree.ts';

/** Saved formulas are stored in canonical form, so a reference is always spelled the same. */
const lock = tenantStatement(
  'lock-formulas-to-rename',
  `SELECT name, formula FROM saved_formula WHERE tenant_id = $1 AND (name = $2 OR strpos(formula, $3) > 0)
   ORDER BY name FOR UPDATE`,
);
const rewrite = tenantStatement(
  'rewrite-referring-formulas',
  `UPDATE saved_formula s SET formula = n.formula FROM unnest($2::text[], $3::text[]) AS n(name, formula)
   WHERE s.tenant_id = $1 AND s.name = n.name`,
);

type LockedFormula = Readonly<{ name: string; formula: string }>;

/**
 * Locks a saved formula and those that refer to it. All of them at once, and in the order of their names, so that
 * renames at the same time wait for each other, but never in a circle.
 */
export async function lockToRename(db: TenantDb, name: string): Promise<readonly LockedFormula[]> {
  return (await db.query<LockedFormula>(lock, [name, formatNormal(referenceTo(name))])).rows;
}

/**
 * Updates the formulas that refer to a saved one to its new name. Formulas that watch through such a reference keep
 * watching.
 *
 * @throws AppError `invalid_argument` if one of them would become too long.
 */
export async function renameReferences(
  db: TenantDb,
  locked: readonly LockedFormula[],
  { name, to }: Readonly<{ name: string; to: string }>,
): Promise<void> {
  const changed = new Map<string, string>();
  const slice = new TimeSlice(db.tenantId);
  for (const row of locked) {
    if (slice.isOver) await slice.pause();
    const text = replaced(row.formula, name, to);
    if ([...text].length > formulaLimits.codePoints) throw tooLong(row.name);
    if (text !== row.formula) changed.set(row.name, text);
  }
  if (changed.size > 0) await db.query(rewrite, [[...changed.keys()], [...changed.values()]]);
}

/** A reference to a saved formula that is yet to be written, and so has no place in a text. */
function referenceTo(name: string): Leaf {
  const span = { start: 0, end: 0 };
  return { kind: 'saved', name, nameSpan: span, span };
}

function replaced(formula: string, name: string, to: string): string {
  const { node } = parse(formula);
  if (node === null) return formula;
  const latter = referenceTo(to);
  return formatNormal(
    mapTree<Leaf, Leaf>(node, (leaf) => (leaf.kind === 'saved' && leaf.name === name ? latter : leaf)),
  );
}

function tooLong(name: string): AppError {
  const hint = 'Choose a shorter name';
  return new AppError('invalid_argument', `The formula '${name}', which refers to it, would become too long`, {
    argument: 'to',
    hint,
  });
}
