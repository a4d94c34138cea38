import { tenantRead } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { lengthOf } from '../index/scan.ts';
import type { VectorQuery } from '../index/scan.ts';
import type { AlikeScope, RowFilter } from '../index/search-index.ts';
import type { Hit } from '../index/similarity-index.ts';
import type { VectorModel } from '../index/stored-fingerprints.ts';
import { bytesOf, vectorOf, whichVectors } from './vector-index.ts';

/** Maximum number of results. */
const mostAlike = 400;
/**
 * Number of neighbors that each step of a search visits to find `bound` of them: some of the farthest that it meets are not
 * among the nearest, so it visits more than it returns; pgvector allows at most 1,000. Each visit takes about as long as
 * each result.
 */
const visitedFor = (bound: number) => Math.min(1_000, Math.max(400, Math.ceil(2.5 * bound)));
/** If a filter leaves no more rows than this, comparing all of them is faster than the index, and misses nothing. */
const mostCompared = 20_000;

/**
 * Settings of pgvector: a search continues where it stopped until enough rows match, in an order that only roughly
 * follows the distances. It ends after this many neighbors, or when their list takes this many times `work_mem`.
 */
const settings = {
  'hnsw.iterative_scan': 'relaxed_order',
  'hnsw.max_scan_tuples': '20000',
  'hnsw.scan_mem_multiplier': '8',
} as const;
const set = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', true)`);

/**
 * Finds the nearest images by their vectors, with the database's index or, if a filter leaves only a few, without it.
 * Cosines are the same as those of a scan in memory.
 */
export async function findVectors(
  db: TenantDb,
  model: VectorModel,
  query: VectorQuery,
  { most = mostAlike, within = null }: AlikeScope,
): Promise<Hit[]> {
  const { vector, atLeast } = query;
  if (lengthOf(vector) === 0) return [];
  const isNear = ({ value }: Hit) => value >= atLeast;
  const few = within && (await compareFew(db, model, vector, within));
  if (few !== null) return few.filter(isNear);
  const nearest = await findNearest(db, model, vector, { bound: Math.min(most, mostAlike), within });
  return nearest.filter(isNear);
}

type Packed = Readonly<{ rows: Buffer | null }>;

/**
 * Packs rows into one value, which the driver reads faster. Vectors of a length other than the model's are not in the
 * index.
 */
const packed = ({ dimensions }: VectorModel) =>
  `string_agg(int8send(row_id) || embedding, ''::bytea) FILTER (WHERE octet_length(embedding) = ${dimensions})`;

/** Compares the rows that the filter leaves; null if there are too many. */
async function compareFew(
  db: TenantDb,
  model: VectorModel,
  vector: Int8Array,
  within: RowFilter,
): Promise<Hit[] | null> {
  const { values, parameter } = parametersAfter([]);
  const text = `
    WITH left_over AS MATERIALIZED (SELECT row_id FROM image WHERE ${await within(parameter)} LIMIT ${mostCompared + 1}),
    counted AS MATERIALIZED (SELECT count(*) <= ${mostCompared} AS are_few FROM left_over)
    SELECT (SELECT are_few FROM counted) AS "areFew", (
      SELECT ${packed(model)} FROM (
        SELECT row_id, ${bytesOf(model)} AS embedding FROM left_over JOIN image_fingerprint USING (row_id)
        WHERE (SELECT are_few FROM counted) AND ${whichVectors('$1', model)}
      ) AS few) AS rows`;
  const { rows } = await db.query<Packed & { areFew: boolean }>(tenantRead(text), values);
  return rows[0]?.areFew === true ? compare(rows[0].rows, vector) : null;
}

/**
 * Searches with the index. The settings apply only to this statement, whichever connection a pooler assigns to it.
 * They come from the same subquery as the vector, so that they are in effect before the search begins.
 */
async function findNearest(
  db: TenantDb,
  model: VectorModel,
  vector: Int8Array,
  { bound, within }: Readonly<{ bound: number; within: RowFilter | null }>,
): Promise<Hit[]> {
  const { values, parameter } = parametersAfter([Buffer.from(vector)]);
  const filter = within === null ? '' : `AND row_id IN (SELECT row_id FROM image WHERE ${await within(parameter)})`;
  const text = `
    WITH asked AS MATERIALIZED (
      SELECT ${vectorOf('$2::bytea', model.dimensions)} AS vector,
             ARRAY[${set.join(', ')}, set_config('hnsw.ef_search', '${visitedFor(bound)}', true)] AS settings
    )
    SELECT ${packed(model)} AS rows FROM (
      SELECT row_id, ${bytesOf(model)} AS embedding FROM image_fingerprint WHERE ${whichVectors('$1', model)} ${filter}
      ORDER BY ${vectorOf(bytesOf(model), model.dimensions)} <=> (SELECT vector FROM asked) LIMIT ${bound}
    ) AS near`;
  const { rows } = await db.query<Packed>(tenantRead(text), values);
  return compare(rows[0]?.rows ?? null, vector);
}

/** Parameters of a statement after the first, which is the tenant. */
function parametersAfter(values: unknown[]) {
  return { values, parameter: (value: unknown) => `$${values.push(value) + 1}` };
}

/** Computes the cosine of each candidate. */
function compare(bytes: Buffer | null, vector: Int8Array): Hit[] {
  if (bytes === null) return [];
  const rowBytes = 8 + vector.length;
  const length = lengthOf(vector);
  return Array.from({ length: bytes.length / rowBytes }, (_, k) => {
    const at = k * rowBytes;
    const other = new Int8Array(bytes.buffer, bytes.byteOffset + at + 8, vector.length);
    return { id: Number(bytes.readBigInt64BE(at)), value: cosine(vector, length, other) };
  });
}

/** The cosine as a scan in memory computes it, where lengths have single precision. */
function cosine(vector: Int8Array, length: number, other: Int8Array): number {
  let product = 0;
  for (let k = 0; k < vector.length; k += 1) product += (vector[k] as number) * (other[k] as number);
  return product / (Math.fround(lengthOf(other)) * length);
}
