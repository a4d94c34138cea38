import type { PoolClient } from 'pg';
import { keepDryChanges, readDryChanges } from '../../catalog/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { ChunkOutcome } from '../store/chunk-outcome.ts';
import { kindOf } from './open-operation.ts';
import type { OpenOperation } from './open-operation.ts';

/**
 * Rolls back what a dry run has written since its savepoint, and keeps its changes for the report. Elements that
 * changed an existing record would now count as unchanged, so they are removed from `met`.
 */
export async function takeBack(
  db: TenantDb,
  client: PoolClient,
  operation: OpenOperation,
  outcome: ChunkOutcome,
): Promise<ChunkOutcome> {
  const { resource } = kindOf(operation);
  const dry = await readDryChanges(db, client, { id: operation.id, resource });
  await client.query('ROLLBACK TO SAVEPOINT batch');
  await keepDryChanges(db, client, operation.id, dry);
  return { ...outcome, met: outcome.met.filter(({ row }) => !dry.rows.has(row)) };
}
