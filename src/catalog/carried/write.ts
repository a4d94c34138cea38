import type { Queryable } from '../../backing/index.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { ModelIds } from '../embedding-models.ts';
import type { Resource } from '../fields.ts';
import type { CarriedAnalysis, CarriedFingerprint } from './shape.ts';

/** The analysis of a record that was just created. */
export type CarriedWrite = Readonly<{ row: number; analysis: CarriedAnalysis }>;

const printTypes = 'pdq text, quality smallint, regions text, details text, embedding text, model smallint';
const prints = ['pdq', 'regions', 'embedding'].map((name) => `decode(r.${name}, 'base64')`).join(', ');

const keepImages = tenantStatement(
  'keep-carried-image-analyses',
  `WITH r AS MATERIALIZED (
     SELECT * FROM json_to_recordset($2::json) AS r(
       "row" bigint, checksum text, signature text, facts jsonb, "analyzedAt" timestamptz, ${printTypes})
   ), facts AS (
     INSERT INTO image_analysis (row_id, tenant_id, checksum, signature, facts, analyzed_at)
     SELECT r."row", $1, decode(r.checksum, 'hex'), r.signature, r.facts, COALESCE(r."analyzedAt", now())
     FROM r WHERE r.signature IS NOT NULL
   ), prints AS (
     INSERT INTO image_fingerprint (row_id, tenant_id, pdq, regions, embedding, pdq_quality, model_id)
     SELECT r."row", $1, ${prints}, r.quality, r.model
     FROM r WHERE r.pdq IS NOT NULL OR r.embedding IS NOT NULL OR r.regions IS NOT NULL
   )
   INSERT INTO image_details (row_id, tenant_id, details)
   SELECT r."row", $1, decode(r.details, 'base64') FROM r WHERE r.details IS NOT NULL`,
);

const keepVideos = tenantStatement(
  'keep-carried-video-analyses',
  `WITH facts AS (
     INSERT INTO video_analysis (row_id, tenant_id, reading, signature, facts, frames, analyzed_at)
     SELECT r."row", $1, r.reading, r.signature, r.facts, r.frames, COALESCE(r."analyzedAt", now())
     FROM json_to_recordset($2::json) AS r(
       "row" bigint, reading uuid, signature text, facts jsonb, frames jsonb, "analyzedAt" timestamptz)
     WHERE r.signature IS NOT NULL
   )
   INSERT INTO video_frame
     (tenant_id, video_row_id, number, time_secs, details, pdq, regions, embedding, pdq_quality, model_id)
   SELECT $1, r."row", r.number, r."timeSecs", decode(r.details, 'base64'), ${prints}, r.quality, r.model
   FROM json_to_recordset($3::json) AS r("row" bigint, number smallint, "timeSecs" float8, ${printTypes})`,
);

/** Stores what new records carry, in the transaction that created them; their own columns are there already. */
export async function keepCarriedAnalyses(
  db: TenantDb,
  client: Queryable,
  resource: Resource,
  writes: readonly CarriedWrite[],
  models: ModelIds,
): Promise<void> {
  if (writes.length === 0) return;
  const print = (own: CarriedFingerprint | null) => own && { ...own, model: own.model && models.get(own.model) };
  const rows = writes.map(({ row, analysis: { columns, signature, analyzedAt, facts, fingerprint, frames } }) => {
    const own = { row, signature, analyzedAt, facts };
    return resource === 'image'
      ? { ...own, checksum: columns['checksum'], ...print(fingerprint) }
      : { ...own, reading: columns['reading'], frames: frames.map(({ timeSecs, facts }) => ({ timeSecs, facts })) };
  });
  if (resource === 'image') {
    await db.query(keepImages, [JSON.stringify(rows)], client);
    return;
  }
  const frameRows = writes.flatMap(({ row, analysis: { frames } }) =>
    frames.map(({ timeSecs, fingerprint }, number) => ({ row, number, timeSecs, ...print(fingerprint) })),
  );
  await db.query(keepVideos, [JSON.stringify(rows), JSON.stringify(frameRows)], client);
}
