import type { Database, TenantCall } from '../backing/index.ts';
import { forTenant } from '../tenants/index.ts';
import type { SendDeps } from './attempt.ts';
import { createLanes } from './lanes.ts';
import { dueWebhooks, readLog, tenantsWithWebhooks, waitingTenants } from './message-statements.ts';

/** Sends notifications to the webhooks of tenants. */
export type Deliveries = Readonly<{
  /** Whether the tenant has webhooks, as of the last poll. */
  concerns(tenantId: number): boolean;
  /** Tenants with something to send, according to the tables. */
  waiting(): Promise<readonly TenantCall[]>;
  /** Reads the tenant's log and starts sending what is due; `worker` is the id of this process among the workers. */
  serve(tenantId: number, worker: string): Promise<void>;
  /** Starts no more attempts, and waits for the running ones. */
  close(): Promise<void>;
}>;

export function createDeliveries({ database, ...deps }: SendDeps & Readonly<{ database: Database }>): Deliveries {
  const { pool } = database;
  const lanes = createLanes(deps);
  let isClosed = false;
  let concerned = new Set<number>();
  return {
    concerns: (tenantId) => concerned.has(tenantId),
    async waiting() {
      const { rows } = await pool.query<{ tenantId: number }>(tenantsWithWebhooks);
      concerned = new Set(rows.map(({ tenantId }) => tenantId));
      if (concerned.size === 0) return [];
      const waiting = await pool.query<{ tenantId: number }>(waitingTenants);
      return waiting.rows.map(({ tenantId }) => ({ tenantId, work: 'deliveries' }));
    },
    async serve(tenantId, worker) {
      const db = forTenant(database, tenantId);
      for (let isBehind = true; isBehind && !isClosed;) {
        const { rows: read } = await db.query<{ isBehind: boolean }>(readLog);
        isBehind = read.some((each) => each.isBehind);
        const { rows } = await db.query<{ id: number }>(dueWebhooks);
        for (const { id } of rows) lanes.call(db, id, worker);
      }
    },
    close() {
      isClosed = true;
      return lanes.close();
    },
  };
}
