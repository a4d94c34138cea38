import type { PoolClient } from 'pg';
import { existingRecords } from '../catalog/index.ts';
import type { Resource, WriteAction } from '../catalog/index.ts';
import { ElementError } from '../errors.ts';
import { tenantStatement } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import type { PreparedChunk } from './prepare-chunk.ts';

/** The most images that a tenant may have, beside what an operation does. */
export type Maximum = Readonly<{ resource: Resource; action: WriteAction; maxImages: number | null }>;

const countImages = tenantStatement(
  'count-images-of-tenant',
  'SELECT count(*)::int AS count FROM image WHERE tenant_id = $1',
);

/**
 * Takes out the elements that would create an image beyond the tenant's maximum. Inside the
 * transaction that stores the chunk: one worker has the tenant's turn, so the count is exact.
 */
export async function withinMaximum(
  db: TenantDb,
  client: PoolClient,
  prepared: PreparedChunk,
  { resource, action, maxImages }: Maximum,
): Promise<PreparedChunk> {
  const creates = action === 'create' || action === 'upsert';
  if (maxImages === null || resource !== 'image' || !creates || prepared.ready.length === 0) return prepared;
  const { rows } = await db.query<{ count: number }>(countImages, [], client);
  let room = maxImages - (rows[0]?.count ?? 0);
  if (room >= prepared.ready.length) return prepared;
  const known = await existingRecords(
    db,
    resource,
    prepared.ready.map(({ write }) => write.id),
    client,
  );
  const isAllowed = prepared.ready.map(({ write }) => known.has(write.id) || (room -= 1) >= 0);
  const error = new ElementError('too_large', `the tenant may have ${maxImages} images at most`);
  return {
    ...prepared,
    ready: prepared.ready.filter((_, index) => isAllowed[index]),
    faults: [
      ...prepared.faults,
      ...prepared.ready
        .filter((_, index) => !isAllowed[index])
        .map(({ position, write }) => ({ position, ref: write.id, error })),
    ],
  };
}
