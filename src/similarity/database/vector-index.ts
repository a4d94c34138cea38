import type { VectorModel } from '../index/stored-fingerprints.ts';

/** The function that the indexes call. The extension defines its result, so no migration can create it. */
export const toVector = 'fingerprint_vector(bytea, integer)';

/** An index of half precision has at most so many dimensions. */
export const mostIndexedDimensions = 4000;

/** Below this version an index stops after a fixed number of neighbors, however few of them match a formula. */
export const leastVersion = '0.8';

const nameOf = `'^image_vectors_(\\d+)_\\d+_\\d+$'`;
const modelOf = `'^image_vectors_\\d+_(\\d+)_\\d+$'`;
const dimensionsOf = `'^image_vectors_\\d+_\\d+_(\\d+)$'`;

/** The vector indexes of the database, as rows: the catalog of PostgreSQL says what is in each, and whether it can be used. */
export const vectorIndexes = `
  SELECT c.oid, c.relname AS name, x.indisvalid AS is_valid, substring(c.relname FROM ${nameOf})::int AS tenant_id,
         substring(c.relname FROM ${modelOf})::int AS model_id, substring(c.relname FROM ${dimensionsOf})::int AS dimensions
  FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
  WHERE x.indrelid = 'image_fingerprint'::regclass AND substring(c.relname FROM ${nameOf}) IS NOT NULL`;

/** The vectors of one model, and whose they are. */
export type IndexedVectors = Readonly<{ tenantId: number }> & Pick<VectorModel, 'id' | 'dimensions'>;

/** The name of an index says what is in it. */
export function vectorIndexName({ tenantId, id, dimensions }: IndexedVectors): string {
  return `image_vectors_${tenantId}_${id}_${dimensions}`;
}

/** What a fingerprint is ordered by; `of` is an expression of its bytes. */
export function vectorOf(of: string, dimensions: number): string {
  return `fingerprint_vector(${of}, ${dimensions})::halfvec(${dimensions})`;
}

/** Which fingerprints are in an index, as it was created and as a query must repeat it; `tenant` is an expression. */
export function whichVectors(tenant: string, { id }: Pick<VectorModel, 'id'>): string {
  return `tenant_id = ${tenant} AND (model_id = ${id} OR former_model_id = ${id})`;
}

/** The bytes of a fingerprint's vector of this model: the current one, or the former one while another model takes over. */
export function bytesOf({ id }: Pick<VectorModel, 'id'>): string {
  return `CASE WHEN model_id = ${id} THEN embedding WHEN former_model_id = ${id} THEN former_embedding END`;
}

/** Dimensions that one statement of the function reads. */
const step = 32;
const numberAt = (place: string) => `(get_byte(embedding, ${place}) # 128) - 128`;
const numbersFrom = Array.from({ length: step }, (_, k) => numberAt(`n + ${k}`)).join(', ');

/**
 * One signed byte a dimension: half precision has each of these numbers exactly. Those of another length are null, and so in no index: a
 * condition of the index would say the same, but the planner would take it for a rare one. A search calls it for each neighbor that it
 * meets, so it reads several bytes in each step of its loop.
 */
export const vectorSource = `
  DECLARE numbers INTEGER[] := '{}';
  BEGIN
    IF octet_length(embedding) <> dimensions THEN
      RETURN NULL;
    END IF;
    FOR n IN 0..dimensions - ${step} BY ${step} LOOP
      numbers := numbers || ARRAY[${numbersFrom}];
    END LOOP;
    FOR n IN dimensions - dimensions % ${step}..dimensions - 1 LOOP
      numbers := numbers || (${numberAt('n')});
    END LOOP;
    RETURN numbers;
  END `;

export const createToVector = `
  CREATE OR REPLACE FUNCTION fingerprint_vector(embedding BYTEA, dimensions INTEGER) RETURNS halfvec
  LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 2000 AS $$${vectorSource}$$`;

/** Writes go on meanwhile. */
export function createIndex(vectors: IndexedVectors): string {
  return `CREATE INDEX CONCURRENTLY ${vectorIndexName(vectors)} ON image_fingerprint
    USING hnsw ((${vectorOf(bytesOf(vectors), vectors.dimensions)}) halfvec_cosine_ops)
    WHERE ${whichVectors(String(vectors.tenantId), vectors)}`;
}
