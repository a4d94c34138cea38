import type { TenantDb } from '../tenants/index.ts';

/** Numbers of embedding models by their names. */
export type ModelIds = ReadonlyMap<string, number>;

/** By database: there are a handful, and they never change. */
const knownModels = new WeakMap<object, Map<string, number>>();

/**
 * The numbers of embedding models; new ones get one. To be asked before the transaction that uses them: should
 * that be rolled back the numbers stay, and while it holds a connection it must not wait for a second one.
 */
export async function embeddingModelIds(db: TenantDb, names: readonly string[]): Promise<ModelIds> {
  let known = knownModels.get(db.pool);
  if (known === undefined) knownModels.set(db.pool, (known = new Map()));
  for (const name of new Set(names)) {
    if (known.has(name)) continue;
    await db.pool.query('INSERT INTO embedding_model (name) VALUES ($1) ON CONFLICT DO NOTHING', [name]);
    const { rows } = await db.pool.query<{ id: number }>('SELECT id FROM embedding_model WHERE name = $1', [name]);
    if (rows[0] !== undefined) known.set(name, rows[0].id);
  }
  return known;
}
