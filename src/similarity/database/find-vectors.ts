import { tenantRead } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { lengthOf } from '../index/scan.ts';
import type { VectorQuery } from '../index/scan.ts';
import type { AlikeScope } from '../index/search-index.ts';
import type { Hit } from '../index/similarity-index.ts';
import type { VectorModel } from '../index/stored-fingerprints.ts';
import { vectorOf, whichVectors } from './vector-index.ts';

/** How many of the nearest are asked for, if that many reach the similarity each time. */
const steps = [200, 1_000] as const;
/** So many of the nearest are found at most. */
export const mostAlike = 1_000;

/**
 * The search goes on where it stopped until enough rows match, in an order that is not quite that of the distances. It ends
 * after so many neighbors, or when their list takes this many times `work_mem`.
 */
const settings = {
  'hnsw.iterative_scan': 'relaxed_order',
  'hnsw.ef_search': '200',
  'hnsw.max_scan_tuples': '20000',
  'hnsw.scan_mem_multiplier': '8',
} as const;
const set = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', true)`);

/** If so many of the candidates are similar enough, others may be beyond them. */
const mostReached = 0.5;

/**
 * The nearest images by their vectors, found by the index of the database, then compared exactly: cosines are those of a scan in memory.
 */
export async function findVectors(
  db: TenantDb,
  model: VectorModel,
  query: VectorQuery,
  { most = mostAlike, within = null }: AlikeScope,
): Promise<Hit[]> {
  if (lengthOf(query.vector) === 0) return [];
  const bounds = [...steps.filter((step) => step < most), Math.min(most, mostAlike)];
  const values: unknown[] = [Buffer.from(query.vector), 0];
  const parameter = (value: unknown) => `$${values.push(value) + 1}`;
  const filter = within === null ? '' : `AND row_id IN (SELECT row_id FROM image WHERE ${await within(parameter)})`;
  const statement = tenantRead(textOf(model, filter));
  for (const bound of bounds) {
    values[1] = bound;
    const { rows } = await db.query<{ rows: Buffer | null }>(statement, values);
    const candidates = compare(rows[0]?.rows ?? null, query.vector);
    const hits = candidates.filter(({ value }) => value >= query.atLeast);
    const isComplete = candidates.length < bound || hits.length < mostReached * bound;
    if (isComplete || bound === bounds.at(-1)) return hits;
  }
  return [];
}

/** The settings apply to this statement only, and whichever connection a pooler gives it: the order needs the first row of `asked`. */
function textOf(model: VectorModel, filter: string): string {
  return `
    WITH asked AS MATERIALIZED (
      SELECT ${vectorOf('$2::bytea', model.dimensions)} AS vector, ARRAY[${set.join(', ')}] AS settings
    )
    SELECT string_agg(int8send(row_id) || embedding, ''::bytea) FILTER (WHERE octet_length(embedding) = ${model.dimensions}) AS rows
    FROM (
      SELECT row_id, embedding FROM image_fingerprint WHERE ${whichVectors('$1', model)} ${filter}
      ORDER BY ${vectorOf('embedding', model.dimensions)} <=> (SELECT vector FROM asked) LIMIT $3::int
    ) AS near`;
}

/** All candidates with their cosines. */
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

/** As a scan in memory calculates it, where lengths are kept in single precision. */
function cosine(vector: Int8Array, length: number, other: Int8Array): number {
  let product = 0;
  for (let k = 0; k < vector.length; k += 1) product += (vector[k] as number) * (other[k] as number);
  return product / (Math.fround(lengthOf(other)) * length);
}
