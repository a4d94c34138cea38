import type { VectorModel } from '../index/stored-fingerprints.ts';

/** The function that indexes call. Its result is a type of the extension, so no migration can create it. */
export const toVector = 'fingerprint_vector(bytea, integer)';

/** Maximum number of dimensions of a half-precision index. */
export const mostIndexedDimensions = 4000;

/** In older versions, an index stops after a fixed number of neighbors, no matter how few of them match a formula. */
export const leastVersion = '0.8';

const nameOf = `'^image_vectors_(\\d+)_\\d+_\\d+$'`;
const modelOf = `'^image_vectors_\\d+_(\\d+)_\\d+$'`;
const dimensionsOf = `'^image_vectors_\\d+_\\d+_(\\d+)$'`;

/**
 * Query for the vector indexes of the database: PostgreSQL's catalog tells what each contains, and whether it is
 * usable.
 */
export const vectorIndexes = `
  SELECT c.oid, c.relname AS name, x.indisvalid AS is_valid, substring(c.relname FROM ${nameOf})::int AS tenant_id,
         substring(c.relname FROM ${modelOf})::int AS model_id, substring(c.relname FROM ${dimensionsOf})::int AS dimensions
  FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
  WHERE x.indrelid = 'image_fingerprint'::regclass AND substring(c.relname FROM ${nameOf}) IS NOT NULL`;

/** The vectors of one model of one tenant. */
export type IndexedVectors = Readonly<{ tenantId: number }> & Pick<VectorModel, 'id' | 'dimensions'>;

/** The name of an index, which tells what it contains. */
export function vectorIndexName({ tenantId, id, dimensions }: IndexedVectors): string {
  return `image_vectors_${tenantId}_${id}_${dimensions}`;
}

/** The SQL expression to order fingerprints by; `of` is an expression for the bytes of the vector. */
export function vectorOf(of: string, dimensions: number): string {
  return `fingerprint_vector(${of}, ${dimensions})::halfvec(${dimensions})`;
}

/**
 * The condition for the fingerprints in an index. The index is created with it, and a query must repeat it; `tenant`
 * is an expression.
 */
export function whichVectors(tenant: string, { id }: Pick<VectorModel, 'id'>): string {
  return `tenant_id = ${tenant} AND (model_id = ${id} OR former_model_id = ${id})`;
}

/**
 * The bytes of a fingerprint's vector of this model: the current one or, while another model is taking over, the
 * former one.
 */
export function bytesOf({ id }: Pick<VectorModel, 'id'>): string {
  return `CASE WHEN model_id = ${id} THEN embedding WHEN former_model_id = ${id} THEN former_embedding END`;
}

/** Number of dimensions that one statement of the function reads; those of most models are a multiple of it. */
const step = 128;
const signed = (byte: string) => `(${byte} # 128) - 128`;
const numbersOfPart = Array.from({ length: step }, (_, k) => signed(`get_byte(part, ${k})`)).join(', ');

/**
 * The body of the function. It reads one signed byte per dimension; half precision represents each of them exactly.
 * For vectors of any other length it returns null, which keeps them out of all indexes. A condition of the index
 * would do the same, but the planner would assume that it is rarely true. A search calls the function for each
 * neighbor that it visits, so each step of its loop reads many bytes at constant offsets, which takes two thirds of
 * the time of computed ones.
 */
export const vectorSource = `
  DECLARE
    numbers INTEGER[] := '{}';
    part BYTEA;
  BEGIN
    IF octet_length(embedding) <> dimensions THEN
      RETURN NULL;
    END IF;
    FOR n IN 0..dimensions - ${step} BY ${step} LOOP
      part := substr(embedding, n + 1, ${step});
      numbers := numbers || ARRAY[${numbersOfPart}];
    END LOOP;
    FOR n IN dimensions - dimensions % ${step}..dimensions - 1 LOOP
      numbers := numbers || (${signed('get_byte(embedding, n)')});
    END LOOP;
    RETURN numbers;
  END `;

export const createToVector = `
  CREATE OR REPLACE FUNCTION fingerprint_vector(embedding BYTEA, dimensions INTEGER) RETURNS halfvec
  LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 2000 AS $$${vectorSource}$$`;

/** Builds without blocking writes. */
export function createIndex(vectors: IndexedVectors): string {
  return `CREATE INDEX CONCURRENTLY ${vectorIndexName(vectors)} ON image_fingerprint
    USING hnsw ((${vectorOf(bytesOf(vectors), vectors.dimensions)}) halfvec_cosine_ops)
    WHERE ${whichVectors(String(vectors.tenantId), vectors)}`;
}
