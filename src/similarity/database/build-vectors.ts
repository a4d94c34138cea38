import type pg from 'pg';
import { lockKeys, runExclusively } from '../../backing/index.ts';
import type { Database } from '../../backing/index.ts';
import type { Logger } from '../../observability/logger.ts';
import { forTenant } from '../../tenants/index.ts';
import type { Placement } from '../index/search-index.ts';
import { findComparedModel, findModelInUse, findNextModel } from '../index/stored-fingerprints.ts';
import type { VectorModel } from '../index/stored-fingerprints.ts';
import { buildMemoryFor } from './build-memory.ts';
import { dropDatabaseIndex } from './drop-database-index.ts';
import { fromImages, mostVectorIndexes } from './limits.ts';
import { createIndex, mostIndexedDimensions, vectorIndexes, vectorIndexName } from './vector-index.ts';
import type { IndexedVectors } from './vector-index.ts';
import { prepareVectors } from './vector-support.ts';
import type { VectorFault } from './vector-support.ts';

const wantedTenants = `
  SELECT tenant_id AS "tenantId", count FROM record_total
  WHERE resource = 'image' AND count >= $1 ORDER BY count DESC, tenant_id LIMIT ${mostVectorIndexes}`;
const known = `
  SELECT name, is_valid AS "isValid", tenant_id AS "tenantId", model_id AS id, dimensions FROM (${vectorIndexes}) AS v`;

type Known = IndexedVectors & Readonly<{ name: string; isValid: boolean }>;
type Wanted = Readonly<{ tenantId: number; count: number }>;

/** `busy`: another process builds indexes. */
type BuildResult = Readonly<{ built: number; fault: VectorFault | 'busy' | null }>;

type BuildOptions = Readonly<{
  database: Database;
  logger: Logger;
  /** Which tenants have an index. */
  placement: Placement;
  signal: AbortSignal;
  /** When the model of each tenant was last determined; that reads all its vectors. */
  checked?: Map<number, number>;
}>;

/** How long until the model of a tenant with an index is determined again. */
const modelMs = 3_600_000;

/**
 * Builds missing vector indexes, one after the other, and drops those no longer needed, on a connection of its own. A
 * tenant has an index for the model in use and one for the model that is to replace it. Only one process at a time
 * does this. When the signal fires, the server cancels the current statement; the next call drops what it leaves
 * behind.
 */
export async function buildVectorIndexes(options: BuildOptions): Promise<BuildResult> {
  const { database, placement, signal } = options;
  if (signal.aborted) return { built: 0, fault: null };
  const wanted = (await database.pool.query<Wanted>(wantedTenants, [fromImages(placement)])).rows;
  const indexes = (await database.pool.query<Known>(known)).rows;
  if (wanted.length === 0 && indexes.length === 0) return { built: 0, fault: null };
  const work = (client: pg.Client) => build(client, wanted, options);
  const result = await runExclusively({ database, signal, lockKey: lockKeys.buildVectors, work });
  if (result === 'busy') return { built: 0, fault: 'busy' };
  return result === 'aborted' ? { built: 0, fault: null } : result;
}

async function build(client: pg.Client, wanted: readonly Wanted[], options: BuildOptions): Promise<BuildResult> {
  const fault = await prepareVectors(client);
  if (fault !== null) return { built: 0, fault };
  // Read again: another process may have had the lock and changed them.
  const indexes = (await client.query<Known>(known)).rows;
  const isWanted = ({ tenantId, isValid }: Known) => isValid && wanted.some((each) => each.tenantId === tenantId);
  for (const index of indexes) if (!isWanted(index)) await dropDatabaseIndex(client, index.name);
  let built = 0;
  for (const { tenantId, count } of wanted) {
    if (options.signal.aborted) break;
    const own = indexes.filter((index) => index.tenantId === tenantId && isWanted(index));
    if (await bringUpToDate(client, { tenantId, count, own }, options)) built += 1;
  }
  return { built, fault: null };
}

async function bringUpToDate(
  client: pg.Client,
  { tenantId, count, own }: Wanted & Readonly<{ own: readonly Known[] }>,
  { database, logger, checked }: BuildOptions,
): Promise<boolean> {
  const db = forTenant(database, tenantId);
  const [inUse, next] = [await findModelInUse(db, 'image', client), indexable(await findNextModel(db, client))];
  const ids = new Set([inUse, next].flatMap((model) => model?.id ?? []));
  const isOfModels =
    own.length === Math.max(1, ids.size) && [...ids].every((id) => own.some((index) => index.id === id));
  if (isOfModels && Date.now() - (checked?.get(tenantId) ?? -Infinity) < modelMs) return false;
  const searched = indexable(await findComparedModel(db, 'image', client));
  checked?.set(tenantId, Date.now());
  if (searched === null) return false;
  const models = next === null ? [searched] : [searched, next];
  const names = new Set<string>();
  let isBuilt = false;
  for (const model of models) {
    const vectors = { tenantId, id: model.id, dimensions: model.dimensions };
    names.add(vectorIndexName(vectors));
    if (own.some(({ name }) => name === vectorIndexName(vectors))) continue;
    await buildOne(client, vectors, { count, logger, isNext: model !== searched });
    isBuilt = true;
  }
  for (const { name } of own) if (!names.has(name)) await dropDatabaseIndex(client, name);
  return isBuilt;
}

/** The model, or null if an index cannot have vectors of its length. */
function indexable(model: VectorModel | null): VectorModel | null {
  return model !== null && model.dimensions <= mostIndexedDimensions ? model : null;
}

async function buildOne(
  client: pg.Client,
  vectors: IndexedVectors,
  { count: images, logger, isNext }: Readonly<{ count: number; logger: Logger; isNext: boolean }>,
): Promise<void> {
  const { tenantId, id: modelId } = vectors;
  const began = performance.now();
  logger.info({ tenantId, modelId, images }, 'the index of vectors in the database is built');
  await create(client, vectors, { images, logger });
  const seconds = Math.round((performance.now() - began) / 1000);
  const message = isNext ? 'the next model has an index of vectors' : 'vectors are searched in the database';
  logger.info({ tenantId, modelId, images, seconds }, message);
}

type CreateOptions = Readonly<{ images: number; logger: Logger }>;

async function create(client: pg.Client, vectors: IndexedVectors, { images, logger }: CreateOptions): Promise<void> {
  const { dimensions, tenantId } = vectors;
  const { bytes, needed } = buildMemoryFor(images, { dimensions, allowed: await allowedMemory(client) });
  if (bytes < needed) {
    const setting = { maintenance_work_mem: `${Math.ceil(needed / 2 ** 20)}MB` };
    logger.warn({ tenantId, images, ...setting }, 'building this index of vectors is far slower without this setting of PostgreSQL'); // prettier-ignore
  }
  await client.query(`SET maintenance_work_mem = '${Math.ceil(bytes / 1024)}kB'`);
  try {
    await client.query(createIndex(vectors));
  } catch (error) {
    // Parallel workers of a build need shared memory, which a container may lack.
    if ((error as { code?: string }).code !== '53100') throw error;
    await dropDatabaseIndex(client, vectorIndexName(vectors));
    await client.query('SET max_parallel_maintenance_workers = 0');
    await client.query(createIndex(vectors));
  }
}

/** The server's own limit in bytes for the memory of a build. */
async function allowedMemory(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    `SELECT pg_size_bytes(current_setting('maintenance_work_mem'))::float8 AS bytes`,
  );
  return rows[0]?.bytes ?? 0;
}
