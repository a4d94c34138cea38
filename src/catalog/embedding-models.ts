import type { Queryable } from '../backing/index.ts';
import type { TenantDb } from '../tenants/index.ts';

/** Numbers of models, by database: there are a handful, and they never change. */
const knownModels = new WeakMap<object, Map<string, number>>();

/** The numbers of embedding models by their names; new ones get one. */
export async function embeddingModelIds(
  db: TenantDb,
  client: Queryable,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  let known = knownModels.get(db.pool);
  if (known === undefined) knownModels.set(db.pool, (known = new Map()));
  for (const name of new Set(names)) {
    if (known.has(name)) continue;
    // Outside the transaction: should that be rolled back, the number stays.
    await db.pool.query('INSERT INTO embedding_model (name) VALUES ($1) ON CONFLICT DO NOTHING', [name]);
    const { rows } = await (client as typeof db.pool).query<{ id: number }>(
      'SELECT id FROM embedding_model WHERE name = $1',
      [name],
    );
    if (rows[0] !== undefined) known.set(name, rows[0].id);
  }
  return known;
}
