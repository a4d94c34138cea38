import { renameFormulaOfNotifications } from '../notifications/index.ts';
import { renameSavedFormula } from '../search/index.ts';
import type { SavedFormula } from '../search/index.ts';
import { tenantStatement, transactionOf } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';

const rename = tenantStatement(
  'rename-formula-of-webhooks',
  `UPDATE webhook SET formulas = array_replace(array_remove(formulas, $3), $2, $3), updated_at = now()
   WHERE tenant_id = $1 AND $2 = ANY (formulas)`,
);

/**
 * Renames a saved formula, including wherever its name occurs: in the log of notifications and in webhooks.
 *
 * @throws AppError as `renameSavedFormula` does.
 */
export function renameFormula(db: TenantDb, name: string, to: string): Promise<SavedFormula> {
  return transactionOf(db, async (own) => {
    // First, because this waits for a round that still reports under the former name.
    const renamed = await renameSavedFormula(own, name, to);
    if (name === to) return renamed;
    await renameFormulaOfNotifications(own, name, to);
    await own.query(rename, [name, to]);
    return renamed;
  });
}
