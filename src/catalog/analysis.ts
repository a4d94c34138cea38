import type { Queryable } from '../backing/index.ts';
import { hexOf } from '../lib/hex-of.ts';
import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import type { Source } from './check-element.ts';
import { keepFormerVector } from './embedding-models.ts';
import type { ModelIds } from './embedding-models.ts';
import { fillAssignments, analysisAssignments, analysisTypes } from './fill-fields.ts';

/** State of an image's analysis: not done yet, done, failed at least in part, or done by another version. */
export const aiStatuses = ['pending', 'ready', 'failed', 'stale'] as const;
export type AiStatus = (typeof aiStatuses)[number];

/** The stored outcome of an analyzer: its origin, and a result or an error. */
export type StoredOutcome = Readonly<{
  analyzer: string;
  version: string;
  milliseconds: number;
  result?: unknown;
  error?: Readonly<{ code: string; message: string }>;
  /** Remarks about the result, such as text that could not be read. */
  warnings?: readonly Readonly<{ code: string; message: string }>[];
}>;

/** An image to analyze. */
export type AnalysisSubject = Readonly<{
  rowId: number;
  id: string;
  source: Source | null;
  /** SHA-256 of the stored file, hexadecimal. */
  checksum: string;
  lang: string;
  context: Readonly<{ date?: string; event?: string; city?: string; country?: string }>;
  /** The outcomes stored for this file, without their results. */
  known: Readonly<Record<string, Omit<StoredOutcome, 'result'>>>;
  /** Whether the tenant wants generated texts to fill empty fields. */
  fills: boolean;
  /** Keywords that a person has rejected. */
  refusedKeywords: readonly string[];
}>;

/** Where a value comes from that the caller did not send. */
export type Provenance = Readonly<{
  source: 'file' | 'analyzer';
  analyzer: string;
  version: string;
  confidence: number | null;
}>;

/** Columns that searches use. A column whose property is absent keeps its value. */
export type AnalysisColumns = Readonly<{
  nFaces?: number;
  ocr?: string;
  bw?: boolean;
  colors?: readonly Readonly<{ name: string; hex: string; percent: number }>[];
  /** One text each for en, es, pt, fr and ru. */
  concepts?: readonly string[];
}>;

/** The result of an image's analysis. */
export type AnalysisWrite = Readonly<{
  rowId: number;
  checksum: string;
  status: AiStatus;
  signature: string;
  facts: Readonly<Record<string, StoredOutcome>>;
  columns: AnalysisColumns;
  /** Values for empty fields, by property, and the provenance of each value. */
  fill: Readonly<Record<string, string | boolean | readonly string[]>>;
  provenance: Readonly<Record<string, Provenance>>;
  pdq: Readonly<{ hash: Uint8Array; quality: number }> | null;
  embedding: Readonly<{ vector: Int8Array; model: string }> | null;
  localFeatures: Readonly<{ regions: Uint8Array; details: Uint8Array }> | null;
}>;

const subjects = tenantStatement(
  'analysis-subjects',
  `SELECT i.row_id AS "rowId", i.image_id AS id, i.src, i.src_path AS "srcPath", encode(i.checksum, 'hex') AS checksum,
          i.lang, i.date, i.event, i.city, i.country, t.ai_fill AS fills,
          COALESCE(i.refused_keywords, '{}') AS "refusedKeywords",
          (SELECT jsonb_object_agg(key, value - 'result') FROM jsonb_each(a.facts)) AS known
   FROM image i JOIN tenant t ON t.id = i.tenant_id
   LEFT JOIN image_analysis a ON a.row_id = i.row_id AND a.checksum = i.checksum
   WHERE i.tenant_id = $1 AND i.image_id = ANY($2::text[])`,
);

type Subject = Pick<AnalysisSubject, 'id' | 'source' | 'context' | 'known'>;
/** A record to analyze, as the database returns it. */
export type SubjectRow<S extends Subject> = Omit<S, 'source' | 'context' | 'known'> &
  Readonly<Record<'src' | 'srcPath' | 'date' | 'event' | 'city' | 'country', string | null>> &
  Readonly<{ known: S['known'] | null }>;

/** Returns the existing images among `ids`, by id. */
export async function findAnalysisSubjects(
  db: TenantDb,
  ids: readonly string[],
): Promise<ReadonlyMap<string, AnalysisSubject>> {
  const { rows } = await db.query<SubjectRow<AnalysisSubject>>(subjects, [ids]);
  return subjectsById(rows);
}

/** Returns records to analyze, by id. */
export function subjectsById<S extends Subject>(rows: readonly SubjectRow<S>[]): Map<string, S> {
  return new Map(
    rows.map(({ src, srcPath, date, event, city, country, known, ...row }) => {
      const context = Object.entries({ date, event, city, country }).filter(([, value]) => value !== null);
      const source = sourceOf(src, srcPath);
      const subject = { ...row, source, context: Object.fromEntries(context), known: known ?? {} } as unknown as S;
      return [subject.id, subject];
    }),
  );
}

/** Returns where the bytes of a record come from. */
function sourceOf(src: string | null, srcPath: string | null): Source | null {
  if (src !== null) return { kind: 'url', value: src };
  return srcPath === null ? null : { kind: 'path', value: srcPath };
}

const elements = `json_to_recordset($2::json) AS r(
  "rowId" bigint, checksum text, status text, signature text, facts jsonb, ${analysisTypes},
  pdq text, quality smallint, embedding text, model smallint, regions text, details text)`;

const written = `UPDATE image i SET ai_status = r.status, ${analysisAssignments}`;
const same = 'i.tenant_id = $1 AND i.row_id = r."rowId" AND i.checksum = decode(r.checksum, \'hex\')';

/**
 * Writes the rows that depend on the updated images. Images whose file was replaced in the meantime are not among
 * them.
 */
const kept = `
   facts AS (
     INSERT INTO image_analysis AS a (row_id, tenant_id, checksum, signature, facts)
     SELECT r."rowId", $1, decode(r.checksum, 'hex'), r.signature, r.facts
     FROM ${elements} JOIN written ON written.row_id = r."rowId"
     ON CONFLICT (row_id) DO UPDATE SET checksum = EXCLUDED.checksum, signature = EXCLUDED.signature,
       facts = CASE WHEN a.checksum = EXCLUDED.checksum THEN a.facts || EXCLUDED.facts ELSE EXCLUDED.facts END,
       analyzed_at = now()
   ), prints AS (
     INSERT INTO image_fingerprint AS f (row_id, tenant_id, pdq, pdq_quality, embedding, model_id, regions)
     SELECT r."rowId", $1, decode(r.pdq, 'hex'), r.quality, decode(r.embedding, 'hex'), r.model, decode(r.regions, 'hex')
     FROM ${elements} JOIN written ON written.row_id = r."rowId"
     WHERE r.pdq IS NOT NULL OR r.embedding IS NOT NULL OR r.regions IS NOT NULL
     ON CONFLICT (row_id) DO UPDATE SET pdq = COALESCE(EXCLUDED.pdq, f.pdq),
       pdq_quality = COALESCE(EXCLUDED.pdq_quality, f.pdq_quality),
       embedding = COALESCE(EXCLUDED.embedding, f.embedding), model_id = COALESCE(EXCLUDED.model_id, f.model_id),
       regions = COALESCE(EXCLUDED.regions, f.regions), ${keepFormerVector('f', 'image')}
   ), details AS (
     INSERT INTO image_details (row_id, tenant_id, details)
     SELECT r."rowId", $1, decode(r.details, 'hex')
     FROM ${elements} JOIN written ON written.row_id = r."rowId" WHERE r.details IS NOT NULL
     ON CONFLICT (row_id) DO UPDATE SET details = EXCLUDED.details
   ) SELECT row_id FROM written`;

const keepPlainly = tenantStatement(
  'keep-analysis',
  `WITH written AS (${written} FROM ${elements} WHERE ${same} RETURNING i.row_id), ${kept}`,
);
const keepAndFill = tenantStatement(
  'keep-analysis-and-fill',
  `WITH written AS (${written}, ${fillAssignments('image')}
     FROM ${elements} WHERE ${same} RETURNING i.row_id), ${kept}`,
);

/**
 * Stores results of analyses in the caller's transaction, except for images whose file was replaced in the meantime.
 */
export async function keepAnalyses(
  db: TenantDb,
  client: Queryable,
  writes: readonly AnalysisWrite[],
  models: ModelIds,
): Promise<void> {
  const rows = writes.map(({ columns, pdq, embedding, localFeatures, ...write }) => ({
    ...write,
    ...columns,
    sets: Object.keys(columns),
    ...fingerprintColumns({ pdq, embedding, localFeatures }, models),
  }));
  const fills = writes.some(({ fill }) => Object.keys(fill).length > 0);
  await db.query(fills ? keepAndFill : keepPlainly, [JSON.stringify(rows)], client);
}

/** The data that a picture or a frame is compared by. */
export type StoredFingerprints = Pick<AnalysisWrite, 'pdq' | 'embedding' | 'localFeatures'>;

/** Returns fingerprints as statement parameters. */
export function fingerprintColumns({ pdq, embedding, localFeatures }: StoredFingerprints, models: ModelIds) {
  return {
    pdq: pdq && hexOf(pdq.hash),
    quality: pdq && pdq.quality,
    embedding: embedding && hexOf(embedding.vector),
    model: embedding && models.get(embedding.model),
    regions: localFeatures && hexOf(localFeatures.regions),
    details: localFeatures && hexOf(localFeatures.details),
  };
}

const forget = tenantStatement(
  'forget-analyses',
  `WITH replaced AS (SELECT row_id FROM image WHERE tenant_id = $1 AND image_id = ANY($2::text[])), facts AS (
     DELETE FROM image_analysis WHERE tenant_id = $1 AND row_id IN (SELECT row_id FROM replaced)
   ), details AS (
     DELETE FROM image_details WHERE tenant_id = $1 AND row_id IN (SELECT row_id FROM replaced)
   )
   DELETE FROM image_fingerprint WHERE tenant_id = $1 AND row_id IN (SELECT row_id FROM replaced)`,
);

/** Deletes the stored results of images whose file was replaced. */
export async function forgetAnalyses(db: TenantDb, client: Queryable, ids: readonly string[]): Promise<void> {
  await db.query(forget, [ids], client);
}

const stored = tenantStatement(
  'stored-analyses',
  `SELECT a.row_id::text AS key, a.facts, a.analyzed_at AS "analyzedAt", encode(f.pdq, 'hex') AS pdq,
          f.pdq_quality AS "pdqQuality", i.ai_status AS status
   FROM image i
   JOIN image_analysis a ON a.row_id = i.row_id AND a.checksum = i.checksum
   LEFT JOIN image_fingerprint f ON f.row_id = i.row_id
   WHERE i.tenant_id = $1 AND i.row_id = ANY($2::bigint[])`,
);

/** The stored analysis of an image. */
export type StoredAnalysis = Readonly<{
  facts: Readonly<Record<string, StoredOutcome>>;
  analyzedAt: Date;
  pdq: string | null;
  pdqQuality: number | null;
}>;

/**
 * Returns the analysis of the image in this row; null if it has not been analyzed yet. Concurrent reads share a
 * statement.
 */
export async function findAnalysis(db: TenantDb, rowId: number): Promise<StoredAnalysis | null> {
  const found = await db.batchLoad<string, StoredAnalysis>('stored-analyses', String(rowId), async (keys) => {
    const { rows } = await db.query<StoredAnalysis & { key: string }>(stored, [keys]);
    return new Map(rows.map((row) => [row.key, row]));
  });
  return found ?? null;
}
