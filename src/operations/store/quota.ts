import type { PoolClient } from 'pg';
import { existingRecords, totalOf } from '../../catalog/index.ts';
import type { Resource, WriteAction } from '../../catalog/index.ts';
import { ElementError } from '../../lib/errors.ts';
import { readCount, tenantStatement } from '../../tenants/index.ts';
import type { TenantDb, TenantStatement } from '../../tenants/index.ts';
import type { PreparedChunk } from './prepared-chunk.ts';

/** The maximum number of records of each kind for a tenant, and what an operation does. */
export type Maximum = Readonly<{
  resource: Resource;
  action: WriteAction;
  maxima: Readonly<Record<Resource, number | null>>;
}>;

const counting = { image: totalStatement('image'), video: totalStatement('video') };

function totalStatement(resource: Resource): TenantStatement {
  return tenantStatement(`total-of-${resource}s`, `SELECT ${totalOf(resource)}::int AS count`);
}

/**
 * Removes the elements that would take the tenant beyond its maximum number of records. Runs inside the transaction
 * that stores the chunk: one worker has the tenant's lease, so the count is exact.
 */
export async function withinMaximum(
  db: TenantDb,
  client: PoolClient,
  prepared: PreparedChunk,
  { resource, action, maxima }: Maximum,
): Promise<PreparedChunk> {
  const creates = action === 'create' || action === 'upsert' || action === 'revert';
  const maximum = maxima[resource];
  if (maximum === null || !creates || prepared.ready.length === 0) return prepared;
  let room = maximum - (await readCount(db, counting[resource], [], client));
  if (room >= prepared.ready.length) return prepared;
  const known = await existingRecords(
    db,
    resource,
    prepared.ready.map(({ write }) => write.id),
    client,
  );
  const isAllowed = prepared.ready.map(({ write }) => known.has(write.id) || (room -= 1) >= 0);
  const error = new ElementError('too_large', `the tenant may have at most ${maximum} ${resource}s`);
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
