import type { PoolClient } from 'pg';
import { purgeRecords } from '../../catalog/index.ts';
import type { Resource } from '../../catalog/index.ts';
import type { ElementError } from '../../lib/errors.ts';
import { tenantStatement } from '../../tenants/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { ChunkOutcome } from './chunk-outcome.ts';
import type { Ready } from './prepared-chunk.ts';

/**
 * Records that the previews of files are to be removed, and notifies every process that keeps previews, once the
 * transaction has committed. The payload of the notification is for processes of earlier versions.
 */
const removePreviews = tenantStatement(
  'remove-previews-of-purged-files',
  `WITH removal AS (
     INSERT INTO preview_removal (tenant_id, resource, files) VALUES ($1, $2, $3::text[]) RETURNING id
   )
   SELECT pg_notify('vitrine_preview', '{"files":[]}') FROM removal`,
);

/** Files that one row lists. */
const filesAtOnce = 100;

/**
 * Purges the records of a chunk. The previews of their files are only removed after the commit: the transaction must
 * not wait for a store, and a dry run must not remove any.
 *
 * @param missing the error of an element if there is nothing to purge
 */
export async function purgeChunk(
  db: TenantDb,
  client: PoolClient,
  resource: Resource,
  ready: readonly Ready[],
  missing: ElementError,
): Promise<ChunkOutcome> {
  const ids = ready.map(({ write }) => write.id);
  const { ids: purged, files } = await purgeRecords(db, client, resource, ids);
  for (let first = 0; first < files.length; first += filesAtOnce) {
    await db.query(removePreviews, [resource, files.slice(first, first + filesAtOnce)], client);
  }
  const faults = ready
    .filter(({ write }) => !purged.has(write.id))
    .map(({ position, write }) => ({ position, ref: write.id, error: missing }));
  return { good: purged.size, created: 0, faults, stored: [], met: [] };
}
