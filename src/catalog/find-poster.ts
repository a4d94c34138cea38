import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import { canBeId } from './record-id.ts';

const poster = tenantStatement(
  'poster-of-video',
  `SELECT translate(encode(poster, 'base64'), E'\\n', '') AS base64 FROM video WHERE tenant_id = $1 AND video_id = $2`,
);

/** Returns the generated picture of a video in base64, or null. */
export async function findPoster(db: TenantDb, id: string): Promise<string | null> {
  if (!canBeId(id)) return null;
  const { rows } = await db.query<{ base64: string | null }>(poster, [id]);
  return rows[0]?.base64 ?? null;
}
