import type { PoolClient } from 'pg';
import { purgeRecords } from '../../catalog/index.ts';
import type { Resource } from '../../catalog/index.ts';
import type { ElementError } from '../../lib/errors.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { ChunkOutcome } from './chunk-outcome.ts';
import type { Ready } from './prepared-chunk.ts';

/** Files whose previews are to be removed. */
export type PurgedFiles = Readonly<{ tenantId: number; resource: Resource; files: readonly string[] }>;

/** Removes the previews that this process keeps. */
export type RemovePreviews = (purged: PurgedFiles) => Promise<void>;

/** Notifies every process that keeps previews, once the transaction is over. */
const notify = tenantStatement(
  'notify-purged-files',
  `SELECT pg_notify('vitrine_preview', jsonb_build_object('tenantId', $1::integer, 'resource', $2::text, 'files', $3::jsonb)::text)`,
);

/** Files that one notification names: it is limited to 8000 bytes. */
const filesAtOnce = 100;

/**
 * Purges the records of a chunk, and the previews of their files: this process removes its own previews before the records
 * are gone. A preview that a dry run removes is made again.
 *
 * @param missing why an element fails if there is nothing to purge
 */
export async function purgeChunk(
  db: TenantDb,
  client: PoolClient,
  resource: Resource,
  ready: readonly Ready[],
  { missing, removePreviews }: Readonly<{ missing: ElementError; removePreviews: RemovePreviews | undefined }>,
): Promise<ChunkOutcome> {
  const ids = ready.map(({ write }) => write.id);
  const { ids: purged, files } = await purgeRecords(db, client, resource, ids);
  for (let first = 0; first < files.length; first += filesAtOnce) {
    await db.query(notify, [resource, JSON.stringify(files.slice(first, first + filesAtOnce))], client);
  }
  await removePreviews?.({ tenantId: db.tenantId, resource, files });
  const faults = ready
    .filter(({ write }) => !purged.has(write.id))
    .map(({ position, write }) => ({ position, ref: write.id, error: missing }));
  return { good: purged.size, created: 0, faults, stored: [], met: [] };
}
