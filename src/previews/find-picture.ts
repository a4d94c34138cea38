import type { Resource, Source } from '../catalog/index.ts';
import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';

/** Where the pixels of a record are, and the checksum of the file. */
export type Picture = Readonly<{ checksum: string } & ({ source: Source } | { poster: Buffer })>;

type Row = Readonly<{ checksum: string; src: string | null; srcPath: string | null; poster: Buffer | null }>;

const columns = `encode(substring(checksum FROM 1 FOR 16), 'hex') AS checksum, src, src_path AS "srcPath"`;

const statements = {
  image: tenantStatement(
    'preview-image',
    `SELECT ${columns}, NULL::bytea AS poster FROM image WHERE tenant_id = $1 AND row_id = $2`,
  ),
  video: tenantStatement('preview-video', `SELECT ${columns}, poster FROM video WHERE tenant_id = $1 AND row_id = $2`),
} as const satisfies Record<Resource, unknown>;

/** The picture that stands for a record: its file, or the poster of a video; null where there is none. */
export async function findPicture(db: TenantDb, resource: Resource, rowId: bigint): Promise<Picture | null> {
  const { rows } = await db.query<Row>(statements[resource], [String(rowId)]);
  const [row] = rows;
  if (row === undefined) return null;
  const { checksum, src, srcPath, poster } = row;
  if (resource === 'video') return poster === null ? null : { checksum, poster };
  if (srcPath !== null) return { checksum, source: { kind: 'path', value: srcPath } };
  return src === null ? null : { checksum, source: { kind: 'url', value: src } };
}
