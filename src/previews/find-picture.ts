import type { Resource, Source } from '../catalog/index.ts';
import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import type { Shown } from './address.ts';

/** Where the pixels of a record are, and the id of the file. */
type PreviewPicture = Readonly<{ fileId: string } & ({ source: Source } | { poster: Buffer })>;

/** A video's file and its properties. */
export type VideoFile = Readonly<{
  source: Source;
  container: string;
  byteSize: number;
  width: number;
  height: number;
  durationSecs: number;
}>;

type Sources = Readonly<{ src: string | null; srcPath: string | null }>;
type PictureRow = Sources & Readonly<{ fileId: string; poster: Buffer | null }>;

const sources = 'src, src_path AS "srcPath"';
const ofRow = 'WHERE tenant_id = $1 AND row_id = $2';

const fileIds: Readonly<Record<Resource, string>> = {
  image: `encode(substring(checksum FROM 1 FOR 16), 'hex') AS "fileId"`,
  video: `replace(reading::text, '-', '') AS "fileId"`,
};

const pictures = {
  image: tenantStatement(
    'preview-image',
    `SELECT ${fileIds.image}, ${sources}, NULL::bytea AS poster FROM image ${ofRow}`,
  ),
  video: tenantStatement('preview-video', `SELECT ${fileIds.video}, ${sources}, poster FROM video ${ofRow}`),
} as const satisfies Record<Resource, unknown>;

const ofIds = 'WHERE tenant_id = $1';
const shown = {
  image: tenantStatement(
    'shown-images',
    `SELECT row_id::text AS "rowId", ${fileIds.image} FROM image ${ofIds} AND image_id = ANY($2::text[])`,
  ),
  video: tenantStatement(
    'shown-videos',
    `SELECT row_id::text AS "rowId", ${fileIds.video} FROM video ${ofIds} AND video_id = ANY($2::text[])
       AND poster IS NOT NULL`,
  ),
} as const satisfies Record<Resource, unknown>;

const videoFile = tenantStatement(
  'preview-video-file',
  `SELECT ${sources}, container, byte_size::float8 AS "byteSize", width, height, duration_secs AS "durationSecs"
   FROM video ${ofRow}`,
);

/** The picture that represents a record: its file, or the poster of a video; null if there is none. */
export async function findPicture(db: TenantDb, resource: Resource, rowId: bigint): Promise<PreviewPicture | null> {
  const { rows } = await db.query<PictureRow>(pictures[resource], [String(rowId)]);
  const [row] = rows;
  if (row === undefined) return null;
  const { fileId, poster } = row;
  if (resource === 'video') return poster === null ? null : { fileId, poster };
  const source = sourceOf(row);
  return source === null ? null : { fileId, source };
}

/** What is shown of the records with these ids, for those that have something to show. */
export async function findShown(db: TenantDb, resource: Resource, ids: readonly string[]): Promise<readonly Shown[]> {
  const { rows } = await db.query<Readonly<{ rowId: string; fileId: string }>>(shown[resource], [ids]);
  return rows.map(({ rowId, fileId }) => ({ tenantId: db.tenantId, resource, rowId: BigInt(rowId), fileId }));
}

/** The file of a video; null if there is none. */
export async function findVideoFile(db: TenantDb, rowId: bigint): Promise<VideoFile | null> {
  const { rows } = await db.query<Omit<VideoFile, 'source'> & Sources>(videoFile, [String(rowId)]);
  const [row] = rows;
  const source = row === undefined ? null : sourceOf(row);
  return row === undefined || source === null ? null : { ...row, source };
}

function sourceOf({ src, srcPath }: Sources): Source | null {
  if (srcPath !== null) return { kind: 'path', value: srcPath };
  return src === null ? null : { kind: 'url', value: src };
}
