import type { Database } from '../../src/backing/index.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { buildVectorIndexes } from '../../src/similarity/index.ts';
import type { Hit, SearchIndex, TenantIndexes } from '../../src/similarity/index.ts';
import type { TenantDb } from '../../src/tenants/index.ts';

/** A picture by its vector alone. */
export type Embedded = Readonly<{ id: string; vector: Int8Array; country?: string }>;

type Pool = Readonly<{
  query: <Row extends object = object>(text: string, values: unknown[]) => Promise<{ rows: Row[] }>;
}>;

const insert = `
  WITH given AS (SELECT * FROM json_to_recordset($2::json) AS g(n int, id text, vector text, country text)),
  added AS (
    INSERT INTO image (tenant_id, image_id, country, keywords, categories, collections, width, height, lang, format, byte_size, checksum)
    SELECT $1, id, country, '{}', '{}', '{}', 10, 10, 'en', 'jpeg', 1, sha256(id::bytea) FROM given ORDER BY n
    RETURNING row_id, image_id)
  INSERT INTO image_fingerprint (row_id, tenant_id, embedding, model_id)
  SELECT row_id, $1, decode(vector, 'hex'), $3 FROM added JOIN given ON id = image_id`;

/** Puts records with these vectors into a tenant's catalog, as if a model had embedded their pictures. */
export async function addEmbedded(
  pool: Pool,
  tenantId: number,
  pictures: readonly Embedded[],
  model = 'test',
): Promise<void> {
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO embedding_model (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = EXCLUDED.name RETURNING id`,
    [model],
  );
  const given = pictures.map(({ id, vector, country = 'es' }, n) => ({
    n,
    id,
    vector: Buffer.from(vector).toString('hex'),
    country,
  }));
  await pool.query(insert, [tenantId, JSON.stringify(given), rows[0]?.id]);
}

/** Numbers from 0 to 1 that are the same each time. */
export function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A vector that looks like that of a picture: some distance from a center, or anywhere. */
export function vectorNear(center: Int8Array | null, spread: number, next: () => number, dimensions = 64): Int8Array {
  const length = center?.length ?? dimensions;
  return Int8Array.from({ length }, (_, k) => {
    const noise = (next() + next() + next() - 1.5) * spread;
    return Math.max(-127, Math.min(127, Math.round((center?.[k] ?? 0) + noise)));
  });
}

/** Builds what is missing; by default, each tenant with an image has an index. */
export function buildAll(database: Database, { databaseFrom = 1, signal = new AbortController().signal } = {}) {
  const placement = { mode: 'auto', databaseFrom } as const;
  return buildVectorIndexes({ database, logger: createLogger('fatal'), placement, signal });
}

/** The vector indexes of a database. */
export async function vectorIndexNames(pool: Pool): Promise<{ name: string; isValid: boolean }[]> {
  const { rows } = await pool.query<{ name: string; isValid: boolean }>(
    `SELECT c.relname AS name, i.indisvalid AS "isValid" FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE starts_with(c.relname, 'image_vectors_') ORDER BY 1`,
    [],
  );
  return rows;
}

/** What is similar to a vector, the most similar first. */
export function findNear(indexes: TenantIndexes, db: TenantDb, vector: Int8Array, atLeast: number): Promise<Hit[]> {
  const find = async (index: SearchIndex) => {
    const hits = await index.findAlike({ kind: 'vectors', vector, atLeast });
    return hits.toSorted((a, b) => b.value - a.value || a.id - b.id);
  };
  return indexes.search(db, find, 'image', ['vectors']);
}
