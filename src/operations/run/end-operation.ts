import type { Queryable } from '../../backing/index.ts';
import type { Logger } from '../../observability/logger.ts';
import { counter, timing } from '../../observability/metrics/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import { finishOperation } from '../statements.ts';

type Ended = Readonly<{ seconds: number; good: number; bad: number }>;

export type Ending = Readonly<{
  isAborted: boolean;
  /** The client of the transaction that this is part of, if any. */
  client?: Queryable;
  /** A logger whose lines name the operation. */
  logger?: Logger;
}>;

/** Ends an operation that has not ended yet, and counts it and its elements. */
export async function endOperation(db: TenantDb, id: number, { isAborted, client, logger }: Ending): Promise<void> {
  const { rows } = await db.query<Ended>(finishOperation, [id, isAborted], client);
  const [ended] = rows;
  if (ended === undefined) return;
  const outcome = isAborted ? 'aborted' : 'finished';
  const { seconds, good, bad } = ended;
  timing('operation_seconds', { outcome }).observe(seconds);
  counter('elements_total', { outcome: 'good' }).add(good);
  counter('elements_total', { outcome: 'bad' }).add(bad);
  logger?.info({ tenantId: db.tenantId, outcome, seconds, good, bad }, 'operation ended');
}
