import { canBeId } from '../../catalog/index.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { unpackDetails } from '../../analysis/index.ts';
import type { Closer } from '../groups/find-duplicates.ts';

const videoIds = tenantStatement(
  'similarity-video-references',
  `SELECT v.video_id AS id, v.row_id::text AS "rowId",
          ARRAY(SELECT f.row_id FROM video_frame f WHERE f.video_row_id = v.row_id ORDER BY f.number)::text[] AS frames
   FROM video v WHERE v.tenant_id = $1 AND v.video_id = ANY($2::text[])`,
);

/** A video, and the frames that it is compared by. */
type VideoFrames = Readonly<{ rowId: number; frames: readonly number[] }>;

/** The existing videos among `ids`, by id. */
export async function findVideoFrames(db: TenantDb, ids: readonly string[]): Promise<Map<string, VideoFrames>> {
  const { rows } = await db.query<{ id: string; rowId: string; frames: string[] }>(videoIds, [ids.filter(canBeId)]);
  return new Map(rows.map(({ id, rowId, frames }) => [id, { rowId: Number(rowId), frames: frames.map(Number) }]));
}

const videosOf = tenantStatement(
  'similarity-videos-of-frames',
  `SELECT row_id::text AS frame, video_row_id::text AS video FROM video_frame
   WHERE tenant_id = $1 AND row_id = ANY($2::bigint[])`,
);

/** The video of each frame. */
export async function findVideosOf(db: TenantDb, frames: readonly number[]): Promise<Map<number, number>> {
  if (frames.length === 0) return new Map();
  const { rows } = await db.query<{ frame: string; video: string }>(videosOf, [frames]);
  return new Map(rows.map(({ frame, video }) => [Number(frame), Number(video)]));
}

const framesOf = tenantStatement(
  'similarity-frames-of-videos',
  `SELECT row_id::text AS frame, video_row_id::text AS video FROM video_frame
   WHERE tenant_id = $1 AND video_row_id = ANY($2::bigint[])`,
);

/** The frames of some videos, with the video of each. */
export async function findFramesOf(db: TenantDb, videos: readonly number[]): Promise<Map<number, number>> {
  if (videos.length === 0) return new Map();
  const { rows } = await db.query<{ frame: string; video: string }>(framesOf, [videos]);
  return new Map(rows.map(({ frame, video }) => [Number(frame), Number(video)]));
}

const details = tenantStatement(
  'similarity-frame-details',
  'SELECT row_id::text AS id, details FROM video_frame WHERE tenant_id = $1 AND row_id = ANY($2::bigint[])',
);

/** The data to compare some frames closely. */
export async function readCloserFrames(db: TenantDb, ids: readonly number[]): Promise<Map<number, Closer>> {
  if (ids.length === 0) return new Map();
  const { rows } = await db.query<{ id: string; details: Buffer | null }>(details, [ids]);
  return new Map(
    rows.map(({ id, details }) => [Number(id), { checksum: null, details: details && unpackDetails(details) }]),
  );
}
