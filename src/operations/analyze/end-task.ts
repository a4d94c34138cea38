import type { PoolClient } from 'pg';
import type { Logger } from '../../observability/logger.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { endOperation } from '../run/end-operation.ts';
import type { AnalysisChunk } from './chunk.ts';
import { holdChunk } from './hold-chunk.ts';
import { endChunk } from './statements.ts';

type TaskEnd = Readonly<{ db: TenantDb; processId: string; logger: Logger }>;

/**
 * Stores the outcome of a task, whose second stage is a single chunk, and ends its operation: all in one transaction.
 *
 * @throws ChunkLostError
 */
export async function endTask(
  { operationId, number }: AnalysisChunk,
  { db, processId, logger }: TaskEnd,
  store: (client: PoolClient) => Promise<unknown>,
): Promise<void> {
  await db.transaction(async (client) => {
    await holdChunk(db, client, { operationId, number }, processId);
    await store(client);
    await db.query(endChunk, [operationId, number], client);
    await endOperation(db, operationId, { isAborted: false, client, logger });
  });
}
