import type { Database } from '../backing/index.ts';
import type { Readings } from '../observability/metrics/index.ts';
import { messageStates } from './messages.ts';

type Row = Readonly<{ state: string; count: number; seconds: number }>;

/** Metrics of all tenants: messages that are waiting or were given up, and the age of the oldest waiting one. */
export async function webhookFigures({ pool }: Database): Promise<Readings> {
  const { rows } = await pool.query<Row>(
    `SELECT d.state::text AS state, count(*)::int AS count, extract(epoch FROM now() - min(d.created_at))::float8 AS seconds
     FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook_id WHERE w.is_enabled GROUP BY d.state`,
  );
  const found = new Map(rows.map((row) => [row.state, row]));
  return {
    webhook_messages: messageStates.map((state) => ({ labels: { state }, value: found.get(state)?.count ?? 0 })),
    webhook_oldest_seconds: [{ value: found.get('pending')?.seconds ?? 0 }],
  };
}
