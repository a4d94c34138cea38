import type { PoolClient } from 'pg';
import type { TenantDb } from '../../tenants/index.ts';
import { ChunkLostError } from './chunk-lost.ts';
import { holdAnalysis } from './statements.ts';

/** Goes first in every transaction that stores results of a chunk. @throws ChunkLostError */
export async function holdChunk(
  db: TenantDb,
  client: PoolClient,
  { operationId, number }: Readonly<{ operationId: number; number: number }>,
  processId: string,
): Promise<void> {
  const { rowCount } = await db.query(holdAnalysis, [operationId, number, processId], client);
  if (rowCount === 0) throw new ChunkLostError();
}
