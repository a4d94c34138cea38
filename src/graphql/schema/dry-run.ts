import { dryRunOf } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { builder } from './builder.ts';
import { tenantOf } from './context.ts';
import type { Context } from './context.ts';

/** The argument of mutations that write immediately, without an operation. */
export const dryRunArgs = builder.args((t) => ({
  dryRun: t.boolean({
    defaultValue: false,
    required: true,
    description: 'Check and reply as the write would, but store nothing.',
  }),
}));

/** Writes on behalf of the caller; a dry run does the same write and rolls it back. */
export function writeFor<T>(context: Context, dryRun: boolean, write: (db: TenantDb) => Promise<T>): Promise<T> {
  const db = tenantOf(context);
  return dryRun ? dryRunOf(db, write) : write(db);
}
