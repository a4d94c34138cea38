import { binaryArray } from '../../backing/index.ts';
import type { Queryable } from '../../backing/index.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { ModelIds } from '../embedding-models.ts';
import type { Resource } from '../fields.ts';
import type { CarriedAnalysis, CarriedFingerprint } from './shape.ts';

/** The analysis of a record that was just created. */
type CarriedWrite = Readonly<{ row: number; analysis: CarriedAnalysis }>;

const fingerprintTypes = 'pdq text, quality smallint, regions text, details text, embedding text, model smallint';
const fingerprintValues = ['pdq', 'regions', 'embedding'].map((name) => `decode(r.${name}, 'base64')`).join(', ');

/** Passes each column as an array, so that long values need not be parsed as JSON first. */
const keepImages = tenantStatement(
  'keep-carried-image-analyses',
  `WITH facts AS (
     INSERT INTO image_analysis (row_id, tenant_id, checksum, signature, facts, analyzed_at)
     SELECT r."row", $1, r.checksum, r.signature, r.facts, COALESCE(r.at::timestamptz, now())
     FROM unnest($2::bigint[], $3::bytea[], $4::text[], $5::jsonb[], $6::text[]) AS r("row", checksum, signature, facts, at)
   ), fingerprints AS (
     INSERT INTO image_fingerprint (row_id, tenant_id, pdq, regions, embedding, pdq_quality, model_id)
     SELECT r."row", $1, r.pdq, r.regions, r.embedding, r.quality, r.model
     FROM unnest($7::bigint[], $8::bytea[], $9::bytea[], $10::bytea[], $11::smallint[], $12::smallint[])
       AS r("row", pdq, regions, embedding, quality, model)
   )
   INSERT INTO image_details (row_id, tenant_id, details)
   SELECT r."row", $1, r.details FROM unnest($13::bigint[], $14::bytea[]) AS r("row", details)`,
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
   SELECT $1, r."row", r.number, r."timeSecs", decode(r.details, 'base64'), ${fingerprintValues}, r.quality, r.model
   FROM json_to_recordset($3::json) AS r("row" bigint, number smallint, "timeSecs" float8, ${fingerprintTypes})`,
);

/**
 * Stores the analyses that new records bring along, in the transaction that created the records. The records' own
 * columns have been written by then.
 */
export async function keepCarriedAnalyses(
  db: TenantDb,
  client: Queryable,
  resource: Resource,
  writes: readonly CarriedWrite[],
  models: ModelIds,
): Promise<void> {
  if (writes.length === 0) return;
  if (resource === 'image') await db.query(keepImages, imageArrays(writes, models), client);
  else await db.query(keepVideos, videoRows(writes, models), client);
}

function imageArrays(writes: readonly CarriedWrite[], models: ModelIds): Buffer[] {
  const analyzed = writes.filter(({ analysis }) => analysis.signature !== null);
  const fingerprints = writes.flatMap(({ row, analysis: { fingerprint } }) =>
    fingerprint ? [{ row, ...fingerprint }] : [],
  );
  const compared = fingerprints.filter((own) => own.pdq !== null || own.embedding !== null || own.regions !== null);
  const detailed = fingerprints.filter((own) => own.details !== null);
  const rows = (of: readonly Readonly<{ row: number }>[]) => binaryArray('int8', of.map(({ row }) => row)); // prettier-ignore
  const bytes = (of: typeof fingerprints, name: 'pdq' | 'regions' | 'embedding' | 'details') =>
    binaryArray('bytea', of.map((own) => decoded(own[name], 'base64'))); // prettier-ignore
  return [
    rows(analyzed),
    binaryArray('bytea', analyzed.map(({ analysis }) => decoded(analysis.columns['checksum'] as string, 'hex'))),
    binaryArray('text', analyzed.map(({ analysis }) => analysis.signature)),
    binaryArray('jsonb', analyzed.map(({ analysis }) => JSON.stringify(analysis.facts))),
    binaryArray('text', analyzed.map(({ analysis }) => analysis.analyzedAt)),
    rows(compared),
    bytes(compared, 'pdq'),
    bytes(compared, 'regions'),
    bytes(compared, 'embedding'),
    binaryArray('int2', compared.map(({ quality }) => quality)),
    binaryArray('int2', compared.map(({ model }) => (model === null ? null : models.get(model)))),
    rows(detailed),
    bytes(detailed, 'details'),
  ]; // prettier-ignore
}

function decoded(text: string | null, encoding: 'base64' | 'hex'): Buffer | null {
  return text === null ? null : Buffer.from(text, encoding);
}

function videoRows(writes: readonly CarriedWrite[], models: ModelIds): string[] {
  const withModelId = (own: CarriedFingerprint | null) => own && { ...own, model: own.model && models.get(own.model) };
  const rows = writes.map(({ row, analysis: { columns, signature, analyzedAt, facts, frames } }) => ({
    row,
    signature,
    analyzedAt,
    facts,
    reading: columns['reading'],
    frames: frames.map(({ timeSecs, facts: own }) => ({ timeSecs, facts: own })),
  }));
  const frameRows = writes.flatMap(({ row, analysis: { frames } }) =>
    frames.map(({ timeSecs, fingerprint }, number) => ({ row, number, timeSecs, ...withModelId(fingerprint) })),
  );
  return [JSON.stringify(rows), JSON.stringify(frameRows)];
}
