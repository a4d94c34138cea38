import type { PoolClient } from 'pg';
import { inTransaction, lockKeys } from '../../backing/index.ts';
import type { Database } from '../../backing/index.ts';
import { resources } from '../../catalog/index.ts';
import type { Resource } from '../../catalog/index.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { comparedBytes, takesOver } from '../index/stored-fingerprints.ts';
import { mostIndexedDimensions, vectorIndexes } from './vector-index.ts';

/** Number of vectors that one statement removes: takes well below a second. */
const batchRows = 5_000;

/** The tables of vectors with the column of their record, and the tables of analyses. */
const places = {
  image: { vectors: 'image_fingerprint', record: 'row_id', analysis: 'image_analysis' },
  video: { vectors: 'video_frame', record: 'video_row_id', analysis: 'video_analysis' },
} as const satisfies Record<Resource, object>;

/** Chooses the model of most vectors for tenants that have vectors but no model in use yet. */
const choose = (resource: Resource) => `
  INSERT INTO model_in_use (tenant_id, resource, model_id)
  SELECT t.id, '${resource}', most.model_id FROM tenant t CROSS JOIN LATERAL (
    SELECT model_id FROM (
      SELECT model_id FROM ${places[resource].vectors} WHERE tenant_id = t.id AND model_id IS NOT NULL
      UNION ALL SELECT former_model_id FROM ${places[resource].vectors} WHERE tenant_id = t.id AND former_model_id IS NOT NULL
    ) AS vectors GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1
  ) AS most
  WHERE NOT EXISTS (SELECT FROM model_in_use u WHERE u.tenant_id = t.id AND u.resource = '${resource}')
  ON CONFLICT DO NOTHING`;

/**
 * Vectors of the model in use `u` whose record has no vector of model $1 yet, although its analysis by the analyzers
 * $2 did not fail.
 */
const left = (resource: Resource) => `
  SELECT v.row_id FROM ${places[resource].vectors} v
  JOIN ${resource} i ON i.row_id = v.${places[resource].record}
  LEFT JOIN ${places[resource].analysis} a ON a.row_id = i.row_id
  WHERE v.tenant_id = u.tenant_id AND (v.model_id = u.model_id OR v.former_model_id = u.model_id)
    AND v.model_id IS DISTINCT FROM m.id AND NOT (i.ai_status = 'failed' AND a.signature IS NOT DISTINCT FROM $2)`;

const hasIndex = (model: string) =>
  `EXISTS (SELECT FROM (${vectorIndexes}) AS x WHERE x.is_valid AND x.tenant_id = u.tenant_id AND x.model_id = ${model})`;

/**
 * Whether the switch has to wait for an index: the model in use `u` has one, and the next model can have one but does
 * not yet. False if $3 is true, because no search needs an index.
 */
const awaitsIndex = `
  NOT $3::boolean AND ${hasIndex('u.model_id')} AND NOT ${hasIndex('m.id')}
  AND EXISTS (SELECT FROM (${takesOver('u.tenant_id', 'u.model_id')}) AS n
              WHERE n.model_id = m.id AND n.dimensions <= ${mostIndexedDimensions} AND n.dimensions % ${comparedBytes} = 0)`;

/** Only images have indexes. Written like this because each statement must use every parameter. */
const awaits = { image: awaitsIndex, video: '$3::boolean AND false' } as const satisfies Record<Resource, string>;

const switchOver = (resource: Resource) => `
  UPDATE model_in_use u SET model_id = m.id, since = now() FROM embedding_model m
  WHERE m.name = $1 AND u.resource = '${resource}' AND u.model_id <> m.id
    AND EXISTS (SELECT FROM ${places[resource].vectors} v WHERE v.tenant_id = u.tenant_id AND v.model_id = m.id)
    AND NOT EXISTS (${left(resource)}) AND NOT (${awaits[resource]})
  RETURNING u.tenant_id AS "tenantId", '${resource}' AS resource`;

const removeFormer = (resource: Resource) => `
  UPDATE ${places[resource].vectors} SET former_embedding = NULL, former_model_id = NULL WHERE row_id IN (
    SELECT v.row_id FROM ${places[resource].vectors} v
    JOIN model_in_use u ON u.tenant_id = v.tenant_id AND u.resource = '${resource}'
    WHERE v.former_model_id IS NOT NULL AND v.former_model_id <> u.model_id LIMIT ${batchRows})`;

/**
 * Progress of a tenant's switch to another model: how many records that have a vector of the model in use also have
 * one of the next.
 */
export type VectorProgress = Readonly<{
  resource: Resource;
  /** The model whose vectors records are searched by. */
  model: string;
  /** The model that analyzes now, if it is a different one. */
  nextModel: string | null;
  done: number;
  total: number;
  /** Whether a database index has the vectors of the model that analyzes now. */
  isIndexed: boolean;
}>;

/** Only images have indexes. */
const isIndexed = {
  image: `EXISTS (SELECT FROM (${vectorIndexes}) AS x JOIN embedding_model indexed ON indexed.id = x.model_id
                  WHERE x.is_valid AND x.tenant_id = $1 AND indexed.name = $2)`,
  video: 'false',
} as const satisfies Record<Resource, string>;

/** Progress of a tenant, for the model $2; $1 is the tenant. */
const progress = (resource: Resource) => `
  SELECT '${resource}' AS resource, used.name AS model, NULLIF($2::text, used.name) AS "nextModel",
         count(*) FILTER (WHERE current.name = $2)::int AS done, count(*)::int AS total,
         ${isIndexed[resource]} AS "isIndexed"
  FROM model_in_use u JOIN embedding_model used ON used.id = u.model_id
  JOIN ${places[resource].vectors} v ON v.tenant_id = u.tenant_id AND (v.model_id = u.model_id OR v.former_model_id = u.model_id)
  JOIN embedding_model current ON current.id = v.model_id
  WHERE u.tenant_id = $1 AND u.resource = '${resource}' GROUP BY used.name`;

const progressOfAll = tenantStatement('vector-progress', resources.map(progress).join(' UNION ALL '), {
  isSearch: true,
});

/** Progress of a tenant toward vectors of the current model; empty if no model is chosen yet. */
export async function readVectorProgress(db: TenantDb, model: string): Promise<VectorProgress[]> {
  return (await db.query<VectorProgress>(progressOfAll, [model])).rows;
}

/** How many records of how many tenants have vectors of two models. */
type FormerVectors = Readonly<{
  resource: Resource;
  tenants: number;
  done: number;
  total: number;
  model: string;
  next: string;
}>;

const former = (resource: Resource) => `
  SELECT '${resource}' AS resource, used.name AS model, min(next.name) AS next, count(DISTINCT v.tenant_id)::int AS tenants,
         count(*)::int AS done, (
           SELECT count(*) FROM ${places[resource].vectors} o JOIN model_in_use w ON w.tenant_id = o.tenant_id
           WHERE w.resource = '${resource}' AND w.model_id = used.id AND (o.model_id = used.id OR o.former_model_id = used.id)
         )::int AS total
  FROM ${places[resource].vectors} v JOIN model_in_use u ON u.tenant_id = v.tenant_id AND u.model_id = v.former_model_id
  JOIN embedding_model used ON used.id = u.model_id JOIN embedding_model next ON next.id = v.model_id
  WHERE v.former_model_id IS NOT NULL AND u.resource = '${resource}' GROUP BY used.id, used.name`;

/** Progress of a switch to another model in the whole database; empty if there is none. */
export async function readFormerVectors(client: Pick<PoolClient, 'query'>): Promise<FormerVectors[]> {
  return (await client.query<FormerVectors>(resources.map(former).join(' UNION ALL '))).rows;
}

/** What analyzes pictures now: the embedding model, and the signature of all analyzers. */
export type CurrentModel = Readonly<{
  model: string;
  signature: string;
  /** Whether all searches run in memory, so that no index is needed. */
  isInMemory?: boolean;
}>;

/** A tenant whose records are searched with another model from now on. */
type SwitchedTenant = Readonly<{ tenantId: number; resource: Resource }>;

/**
 * Switches tenants to the current model once each of their records that can be analyzed has a vector of it, and these
 * vectors have an index if those of the model in use do. Then removes the vectors of former models. Only one process
 * at a time does this.
 */
export async function switchModels(
  database: Database,
  { model, signature, isInMemory = false }: CurrentModel,
  signal: AbortSignal,
): Promise<SwitchedTenant[]> {
  const switched: SwitchedTenant[] = [];
  for (const resource of resources) {
    const own = await alone(database, async (client) => {
      await client.query(choose(resource));
      return (await client.query<SwitchedTenant>(switchOver(resource), [model, signature, isInMemory])).rows;
    });
    switched.push(...(own ?? []));
    for (let removed = batchRows; removed === batchRows && !signal.aborted;) {
      removed = (await alone(database, async (client) => (await client.query(removeFormer(resource))).rowCount)) ?? 0;
    }
  }
  return switched;
}

/** Runs work under the lock; null if another process has it. */
function alone<T>(database: Database, work: (client: PoolClient) => Promise<T>): Promise<T | null> {
  return inTransaction(database.pool, async (client) => {
    const { rows } = await client.query<{ got: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS got', [
      lockKeys.switchModels,
    ]);
    return rows[0]?.got === true ? work(client) : null;
  });
}
