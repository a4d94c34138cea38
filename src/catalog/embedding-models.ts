import type { TenantDb } from '../tenants/index.ts';
import type { Resource } from './fields.ts';

/** Numeric ids of embedding models, by name. */
export type ModelIds = ReadonlyMap<string, number>;

/** SQL for the id of the model that a tenant's records are searched with; null while none is chosen. `$1` is the tenant. */
export const modelInUse = (resource: Resource): string =>
  `(SELECT u.model_id FROM model_in_use u WHERE u.tenant_id = $1 AND u.resource = '${resource}')`;

/**
 * Assignments for an upsert of fingerprints, with `f` as the existing row: a vector of the model in use is kept next
 * to that of a newer model.
 */
export function keepFormerVector(f: string, resource: Resource): string {
  const inUse = modelInUse(resource);
  const kept = (column: string) => `CASE
    WHEN EXCLUDED.model_id IS NULL THEN ${f}.former_${column}
    WHEN EXCLUDED.model_id = ${inUse} THEN NULL
    WHEN ${f}.model_id = COALESCE(${inUse}, ${f}.model_id) AND ${f}.model_id <> EXCLUDED.model_id THEN ${f}.${column}
    WHEN ${f}.former_model_id = COALESCE(${inUse}, ${f}.former_model_id) THEN ${f}.former_${column} END`;
  return `former_embedding = ${kept('embedding')}, former_model_id = ${kept('model_id')}`;
}

/** Known ids per database: there are a handful, and they never change. */
const knownModels = new WeakMap<object, Map<string, number>>();

/**
 * Returns the ids of embedding models, and assigns ids to new ones. Call this before the transaction that uses them:
 * ids must survive its rollback, and while it holds a connection it must not wait for a second one.
 */
export async function embeddingModelIds(db: TenantDb, names: readonly string[]): Promise<ModelIds> {
  let known = knownModels.get(db.pool);
  if (known === undefined) knownModels.set(db.pool, (known = new Map()));
  for (const name of new Set(names)) {
    if (known.has(name)) continue;
    const id = (await idOf(db, name)) ?? (await addModel(db, name));
    if (id !== undefined) known.set(name, id);
  }
  return known;
}

async function idOf({ pool }: TenantDb, name: string): Promise<number | undefined> {
  const { rows } = await pool.query<{ id: number }>('SELECT id FROM embedding_model WHERE name = $1', [name]);
  return rows[0]?.id;
}

/** Only for a name that is not there: even an insert that conflicts uses up an id. */
async function addModel(db: TenantDb, name: string): Promise<number | undefined> {
  await db.pool.query('INSERT INTO embedding_model (name) VALUES ($1) ON CONFLICT DO NOTHING', [name]);
  return idOf(db, name);
}

/** Returns the ids that this process has already looked up. */
export function knownModelIds(db: TenantDb): ModelIds {
  return knownModels.get(db.pool) ?? new Map();
}

/** Maximum number of models, more than any service has ever had: ids take two bytes, and all tenants share them. */
const mostModels = 1000;

/**
 * Returns the ids of models that a caller's analyses refer to. New models get ids until the service has `mostModels`;
 * models beyond that get none.
 */
export async function admittedModelIds(db: TenantDb, names: readonly string[]): Promise<ModelIds> {
  const asked = [...new Set(names)];
  const known = knownModels.get(db.pool);
  if (asked.every((name) => known?.has(name))) return known ?? new Map();
  const { rows } = await db.pool.query<{ name: string }>(
    `SELECT name FROM (SELECT asked.name, row_number() OVER () AS n FROM unnest($1::text[]) AS asked(name)
       WHERE NOT EXISTS (SELECT FROM embedding_model m WHERE m.name = asked.name)) AS fresh
     WHERE (SELECT count(*) FROM embedding_model) + n > ${mostModels}`,
    [asked],
  );
  const refused = new Set(rows.map(({ name }) => name));
  const admitted = asked.filter((name) => !refused.has(name));
  return embeddingModelIds(db, admitted);
}
