import type { Queryable } from '../../backing/index.ts';
import { modelInUse } from '../../catalog/index.ts';
import type { Resource } from '../../catalog/index.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { regionBytes, unpackDetails } from '../../analysis/index.ts';
import type { Closer } from '../groups/find-duplicates.ts';
import { noHashes, pdqBytes } from './block.ts';
import type { IndexedFingerprint } from './similarity-index.ts';

/** Number of rows read at a time. */
const pageRows = 10_000;

/** Where fingerprints are stored: those of images, and those of frames of videos. */
const places = {
  image: { table: 'image_fingerprint', changed: 'fingerprint_change', inUse: modelInUse('image') },
  video: { table: 'video_frame', changed: 'frame_change', inUse: modelInUse('video') },
} as const;

const ofEach = <T>(make: (place: (typeof places)[Resource]) => T): Readonly<Record<Resource, T>> => ({
  image: make(places.image),
  video: make(places.video),
});

/** The model whose vectors are searched, and their length. */
export type VectorModel = Readonly<{ id: number; name: string; dimensions: number }>;

/** Finds the model in use; if none is chosen, or no vector of it is left, the model of most pictures. */
const searchedModel = ofEach(({ table, inUse }) =>
  tenantStatement(
    `similarity-model-${table}`,
    `SELECT m.id, m.name, dimensions FROM (
       SELECT model_id, dimensions FROM (
         SELECT model_id, octet_length(embedding) AS dimensions FROM ${table}
         WHERE tenant_id = $1 AND embedding IS NOT NULL AND model_id IS NOT NULL
         UNION ALL SELECT former_model_id, octet_length(former_embedding) FROM ${table}
         WHERE tenant_id = $1 AND former_model_id IS NOT NULL
       ) AS vectors
       GROUP BY 1, 2 ORDER BY model_id IS NOT DISTINCT FROM ${inUse} DESC, count(*) DESC, 1 LIMIT 1
     ) AS most JOIN embedding_model m ON m.id = most.model_id`,
  ),
);

/** Null if nothing has been embedded yet. */
async function findVectorModel(db: TenantDb, of: Resource = 'image', client?: Queryable): Promise<VectorModel | null> {
  return (await db.query<VectorModel>(searchedModel[of], [], client)).rows[0] ?? null;
}

const used = ofEach(({ table, inUse }) =>
  tenantStatement(
    `similarity-model-in-use-${table}`,
    `SELECT m.id, m.name FROM embedding_model m WHERE m.id = ${inUse} AND $1::int IS NOT NULL`,
  ),
);

/** The model chosen for searches; null if none is yet. */
export async function findModelInUse(
  db: TenantDb,
  of: Resource,
  client?: Queryable,
): Promise<Pick<VectorModel, 'id' | 'name'> | null> {
  return (await db.query<Pick<VectorModel, 'id' | 'name'>>(used[of], [], client)).rows[0] ?? null;
}

/**
 * Query for the model that is taking over from the one in use, and the length of its vectors; both arguments are
 * expressions.
 */
export const takesOver = (tenant: string, inUse: string) => `
  SELECT f.model_id, octet_length(f.embedding) AS dimensions FROM image_fingerprint f
  WHERE f.tenant_id = ${tenant} AND f.former_model_id IS NOT NULL AND f.embedding IS NOT NULL
    AND f.model_id IS DISTINCT FROM ${inUse} ORDER BY f.model_id DESC LIMIT 1`;

const next = tenantStatement(
  'similarity-model-next',
  `SELECT m.id, m.name, n.dimensions FROM (${takesOver('$1', places.image.inUse)}) AS n JOIN embedding_model m ON m.id = n.model_id`,
);

/** The model that is taking over from the one in use, the newest if there are several; null if there is none. */
export async function findNextModel(db: TenantDb, client?: Queryable): Promise<VectorModel | null> {
  return comparable((await db.query<VectorModel>(next, [], client)).rows[0] ?? null);
}

/** The model that records are searched by, if its vectors can be compared here. */
export async function findComparedModel(db: TenantDb, of: Resource, client?: Queryable): Promise<VectorModel | null> {
  return comparable(await findVectorModel(db, of, client));
}

/** Kernels read vectors in steps of this many bytes. */
export const comparedBytes = 16;

function comparable(model: VectorModel | null): VectorModel | null {
  return model !== null && model.dimensions % comparedBytes === 0 && model.dimensions <= 4096 ? model : null;
}

/** Packs rows into one value: a driver takes longer to build a million rows than to copy their bytes. */
const packed = (source: string) => `
  SELECT max(row_id)::text AS last, string_agg(
    int8send(row_id)
      || CASE WHEN octet_length(pdq) = ${pdqBytes} AND octet_length(regions) = ${regionBytes}
           THEN int2send(LEAST(pdq_quality, 100::int2)) || pdq || regions
           ELSE int2send(${noHashes}::int2) || decode(repeat('00', ${pdqBytes + regionBytes}), 'hex') END
      || CASE WHEN model_id = $2 AND octet_length(embedding) = $3::int
           THEN int2send(1::int2) || embedding
           WHEN former_model_id = $2 AND octet_length(former_embedding) = $3::int
           THEN int2send(1::int2) || former_embedding ELSE int2send(0::int2) || decode(repeat('00', $3::int), 'hex') END,
    ''::bytea ORDER BY row_id) AS rows
  FROM (${source}) AS page`;

const columns = 'row_id, pdq, pdq_quality, regions, embedding, model_id, former_embedding, former_model_id';
const page = ofEach(({ table }) =>
  tenantStatement(
    `similarity-page-${table}`,
    packed(`SELECT ${columns} FROM ${table} WHERE tenant_id = $1 AND row_id > $4::bigint
            ORDER BY row_id LIMIT ${pageRows}`),
  ),
);
const some = ofEach(({ table }) =>
  tenantStatement(
    `similarity-some-${table}`,
    packed(`SELECT ${columns} FROM ${table} WHERE tenant_id = $1 AND row_id = ANY($4::bigint[])`),
  ),
);

type Packed = Readonly<{ last: string | null; rows: Buffer | null }>;

/** All fingerprints of a tenant, page by page. */
export async function* readFingerprints(
  db: TenantDb,
  model: VectorModel | null,
  of: Resource = 'image',
): AsyncGenerator<IndexedFingerprint[]> {
  for (let after = '0'; ;) {
    const { rows } = await db.query<Packed>(page[of], [model?.id ?? null, model?.dimensions ?? 0, after]);
    const { last = null, rows: bytes = null } = rows[0] ?? {};
    if (last === null || bytes === null) return;
    yield unpack(bytes, model);
    after = last;
  }
}

/** The fingerprints of some records, except those that have none. */
export async function readSomeFingerprints(
  db: TenantDb,
  model: VectorModel | null,
  ids: readonly number[],
  of: Resource = 'image',
): Promise<IndexedFingerprint[]> {
  const { rows } = await db.query<Packed>(some[of], [model?.id ?? null, model?.dimensions ?? 0, ids]);
  const bytes = rows[0]?.rows ?? null;
  return bytes === null ? [] : unpack(bytes, model);
}

function unpack(bytes: Buffer, model: VectorModel | null): IndexedFingerprint[] {
  const dimensions = model?.dimensions ?? 0;
  const vectorAt = 10 + pdqBytes + regionBytes;
  const rowBytes = vectorAt + 2 + dimensions;
  return Array.from({ length: bytes.length / rowBytes }, (_, k) => {
    const row = bytes.subarray(k * rowBytes, (k + 1) * rowBytes);
    const quality = row.readInt16BE(8);
    const regions = row.subarray(10 + pdqBytes, vectorAt);
    const start = row.byteOffset + vectorAt + 2;
    return {
      id: Number(row.readBigInt64BE(0)),
      hashes: quality === noHashes ? null : { pdq: row.subarray(10, 10 + pdqBytes), regions, quality },
      vector: row.readInt16BE(vectorAt) === 1 ? new Int8Array(row.buffer, start, dimensions) : null,
    };
  });
}

const details = tenantStatement(
  'similarity-details',
  `SELECT i.row_id::text AS id, encode(i.checksum, 'hex') AS checksum, d.details FROM image i
   LEFT JOIN image_details d ON d.row_id = i.row_id WHERE i.tenant_id = $1 AND i.row_id = ANY($2::bigint[])`,
);

/** The data to compare some records closely. */
export async function readCloser(db: TenantDb, ids: readonly number[]): Promise<Map<number, Closer>> {
  if (ids.length === 0) return new Map();
  type Row = { id: string; checksum: string | null; details: Buffer | null };
  const { rows } = await db.query<Row>(details, [ids]);
  return new Map(
    rows.map(({ id, checksum, details }) => [Number(id), { checksum, details: details && unpackDetails(details) }]),
  );
}

const sameFile = tenantStatement(
  'similarity-same-file',
  `SELECT row_id::text AS id FROM image WHERE tenant_id = $1 AND checksum = decode($2, 'hex')`,
);

/** Records that have the very same file. */
export async function findSameFile(db: TenantDb, checksum: string): Promise<number[]> {
  return (await db.query<{ id: string }>(sameFile, [checksum])).rows.map(({ id }) => Number(id));
}

const horizon = tenantStatement(
  'similarity-horizon',
  'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon WHERE $1::int IS NOT NULL',
);

/** Transactions from this one on may still be running; all earlier ones have ended. */
export async function readHorizon(db: TenantDb): Promise<string> {
  return (await db.query<{ horizon: string }>(horizon)).rows[0]?.horizon ?? '0';
}

const changes = ofEach(({ changed, inUse }) =>
  tenantStatement(
    `similarity-changes-${changed}`,
    `SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon, ${inUse} AS "modelInUse",
            ARRAY(SELECT DISTINCT row_id FROM ${changed}
                  WHERE tenant_id = $1 AND xact >= $2::xid8 AND NOT id = ANY($3::bigint[]))::text[] AS rows,
            ARRAY(SELECT id FROM ${changed} WHERE tenant_id = $1
                  AND xact >= pg_snapshot_xmin(pg_current_snapshot()))::text[] AS open`,
  ),
);

/** Records that changed since a horizon, and the input for the next call. */
type FingerprintChanges = Readonly<{
  horizon: string;
  rows: readonly number[];
  open: readonly string[];
  /** Id of the model in use; null if none is chosen. */
  modelInUse: number | null;
}>;

/**
 * Reads what has changed since a horizon; `known` are the changes of later transactions that have already been seen.
 */
export async function readFingerprintChanges(
  db: TenantDb,
  since: string,
  known: readonly string[],
  of: Resource = 'image',
): Promise<FingerprintChanges> {
  type Row = { horizon: string; rows: string[]; open: string[]; modelInUse: number | null };
  const { rows } = await db.query<Row>(changes[of], [since, known]);
  const row = rows[0] ?? { horizon: since, rows: [], open: [], modelInUse: null };
  return { ...row, rows: row.rows.map(Number) };
}
