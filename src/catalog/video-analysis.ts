import type { Queryable } from '../backing/index.ts';
import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import { fingerprintColumns, subjectsById } from './analysis.ts';
import type {
  AnalysisSubject,
  AnalysisWrite,
  StoredAnalysis,
  StoredFingerprints,
  StoredOutcome,
  SubjectRow,
} from './analysis.ts';
import { keepFormerVector } from './embedding-models.ts';
import type { ModelIds } from './embedding-models.ts';
import { fillAssignments, analysisAssignments, analysisTypes } from './fill-fields.ts';

/** A video whose frames are to be analyzed. */
export type VideoSubject = Omit<AnalysisSubject, 'checksum'> &
  Readonly<{
    /** Id of the reading of the source that its facts come from. */
    reading: string;
    byteSize: number;
    width: number;
    height: number;
    durationSecs: number;
  }>;

/** Results of one frame, and the data to compare it by. */
export type FrameWrite = StoredFingerprints &
  Readonly<{ timeSecs: number; facts: Readonly<Record<string, StoredOutcome>> }>;

/** The result of a video's analysis; if `frames` is null, the stored frames are kept. */
export type VideoAnalysisWrite = Omit<AnalysisWrite, 'checksum' | keyof StoredFingerprints> &
  Readonly<{ reading: string; reason: string | null; frames: readonly FrameWrite[] | null }>;

const subjects = tenantStatement(
  'video-analysis-subjects',
  `SELECT v.row_id AS "rowId", v.video_id AS id, v.src, v.src_path AS "srcPath", v.reading::text AS reading,
          v.byte_size::float8 AS "byteSize", v.width, v.height, v.duration_secs AS "durationSecs",
          v.lang, v.date, v.event, v.city, v.country, t.ai_fill AS fills,
          COALESCE(v.refused_keywords, '{}') AS "refusedKeywords",
          (SELECT jsonb_object_agg(key, value - 'result') FROM jsonb_each(a.facts)) AS known
   FROM video v JOIN tenant t ON t.id = v.tenant_id
   LEFT JOIN video_analysis a ON a.row_id = v.row_id AND a.reading = v.reading
   WHERE v.tenant_id = $1 AND v.video_id = ANY($2::text[])`,
);

/** Returns the existing videos among `ids`, by id. */
export async function findVideoSubjects(
  db: TenantDb,
  ids: readonly string[],
): Promise<ReadonlyMap<string, VideoSubject>> {
  const { rows } = await db.query<SubjectRow<VideoSubject>>(subjects, [ids]);
  return subjectsById(rows);
}

const elements = `json_to_recordset($2::json) AS r(
  "rowId" bigint, reading uuid, status text, reason text, signature text, facts jsonb, "frameFacts" jsonb, ${analysisTypes})`;
const same = 'i.tenant_id = $1 AND i.row_id = r."rowId" AND i.reading = r.reading';
const frameElements = `json_to_recordset($3::json) AS f(
  "rowId" bigint, number smallint, "timeSecs" float8, pdq text, quality smallint, embedding text, model smallint,
  regions text, details text)`;

/** Writes frames only for rows that were updated: the source may have been replaced in the meantime. */
const keep = tenantStatement(
  'keep-video-analysis',
  `WITH written AS (
     UPDATE video i SET ai_status = r.status, ai_reason = r.reason, ${analysisAssignments}, ${fillAssignments('video')}
     FROM ${elements} WHERE ${same} RETURNING i.row_id
   ), facts AS (
     INSERT INTO video_analysis AS a (row_id, tenant_id, reading, signature, facts, frames)
     SELECT r."rowId", $1, r.reading, r.signature, r.facts, COALESCE(r."frameFacts", '[]')
     FROM ${elements} JOIN written ON written.row_id = r."rowId"
     ON CONFLICT (row_id) DO UPDATE SET reading = EXCLUDED.reading, signature = EXCLUDED.signature,
       facts = CASE WHEN a.reading = EXCLUDED.reading THEN a.facts || EXCLUDED.facts ELSE EXCLUDED.facts END,
       frames = CASE WHEN EXCLUDED.frames = '[]' AND a.reading = EXCLUDED.reading THEN a.frames ELSE EXCLUDED.frames END,
       analyzed_at = now()
   ), gone AS (
     DELETE FROM video_frame f USING ${elements}, written
     WHERE f.tenant_id = $1 AND f.video_row_id = written.row_id AND r."rowId" = written.row_id
       AND r."frameFacts" IS NOT NULL AND f.number >= jsonb_array_length(r."frameFacts")
   )
   INSERT INTO video_frame AS v
     (tenant_id, video_row_id, number, time_secs, pdq, pdq_quality, embedding, model_id, regions, details)
   SELECT $1, f."rowId", f.number, f."timeSecs", decode(f.pdq, 'hex'), f.quality, decode(f.embedding, 'hex'), f.model,
          decode(f.regions, 'hex'), decode(f.details, 'hex')
   FROM ${frameElements} JOIN written ON written.row_id = f."rowId"
   ON CONFLICT (video_row_id, number) DO UPDATE SET time_secs = EXCLUDED.time_secs, pdq = EXCLUDED.pdq,
     pdq_quality = EXCLUDED.pdq_quality, embedding = EXCLUDED.embedding, model_id = EXCLUDED.model_id,
     regions = EXCLUDED.regions, details = EXCLUDED.details, ${keepFormerVector('v', 'video')}`,
);

/** Stores results of analyses in the caller's transaction, except for videos whose source was read again in the meantime. */
export async function keepVideoAnalyses(
  db: TenantDb,
  client: Queryable,
  writes: readonly VideoAnalysisWrite[],
  models: ModelIds,
): Promise<void> {
  const rows = writes.map(({ columns, frames, ...write }) => ({
    ...write,
    ...columns,
    sets: Object.keys(columns),
    frameFacts: frames?.map(({ timeSecs, facts }) => ({ timeSecs, facts })) ?? null,
  }));
  const fingerprints = writes.flatMap(({ rowId, frames }) =>
    (frames ?? []).map(({ timeSecs, ...fingerprints }, number) => ({
      rowId,
      number,
      timeSecs,
      ...fingerprintColumns(fingerprints, models),
    })),
  );
  await db.query(keep, [JSON.stringify(rows), JSON.stringify(fingerprints)], client);
}

const forget = tenantStatement(
  'forget-video-analyses',
  `WITH replaced AS (SELECT row_id FROM video WHERE tenant_id = $1 AND video_id = ANY($2::text[])), facts AS (
     DELETE FROM video_analysis WHERE tenant_id = $1 AND row_id IN (SELECT row_id FROM replaced)
   )
   DELETE FROM video_frame WHERE tenant_id = $1 AND video_row_id IN (SELECT row_id FROM replaced)`,
);

/** Deletes the stored results of videos whose source was replaced. */
export async function forgetVideoAnalyses(db: TenantDb, client: Queryable, ids: readonly string[]): Promise<void> {
  await db.query(forget, [ids], client);
}

/** The stored analysis of a video and of each of its frames. */
export type StoredVideoAnalysis = Omit<StoredAnalysis, 'pdq' | 'pdqQuality'> &
  Readonly<{ frames: readonly StoredFrame[] }>;

/** The stored analysis of one frame. */
export type StoredFrame = StoredAnalysis & Readonly<{ timeSecs: number }>;

const stored = tenantStatement(
  'stored-video-analyses',
  `SELECT a.row_id::text AS key, a.facts, a.frames, a.analyzed_at AS "analyzedAt",
          (SELECT json_agg(json_build_object('pdq', encode(f.pdq, 'hex'), 'pdqQuality', f.pdq_quality) ORDER BY f.number)
           FROM video_frame f WHERE f.video_row_id = v.row_id) AS fingerprints
   FROM video v JOIN video_analysis a ON a.row_id = v.row_id AND a.reading = v.reading
   WHERE v.tenant_id = $1 AND v.row_id = ANY($2::bigint[])`,
);

type FrameFingerprints = readonly Pick<StoredFrame, 'pdq' | 'pdqQuality'>[];
type StoredRow = Omit<StoredVideoAnalysis, 'frames'> &
  Readonly<{
    key: string;
    frames: readonly Pick<StoredFrame, 'timeSecs' | 'facts'>[];
    fingerprints: FrameFingerprints | null;
  }>;

/**
 * Returns the analysis of the video in this row; null if it has not been analyzed yet. Concurrent reads share a
 * statement.
 */
export async function findVideoAnalysis(db: TenantDb, rowId: number): Promise<StoredVideoAnalysis | null> {
  const found = await db.batchLoad<string, StoredVideoAnalysis>('stored-video-analyses', `${rowId}`, async (keys) => {
    const { rows } = await db.query<StoredRow>(stored, [keys]);
    return new Map(
      rows.map(({ key, fingerprints, ...row }) => [key, { ...row, frames: framesOf(row, fingerprints ?? []) }]),
    );
  });
  return found ?? null;
}

function framesOf(
  { frames, analyzedAt }: Pick<StoredRow, 'frames' | 'analyzedAt'>,
  fingerprints: FrameFingerprints,
): StoredFrame[] {
  const none = { pdq: null, pdqQuality: null };
  return frames.map((frame, number) => ({ ...none, ...fingerprints[number], ...frame, analyzedAt }));
}
