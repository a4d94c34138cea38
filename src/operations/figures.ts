import type { Database } from '../backing/index.ts';
import type { Readings } from '../observability/metrics/index.ts';
import { absentSeconds } from './limits.ts';

const states = ['queued', 'running', 'aborting', 'analyzing'] as const;

type Row = Readonly<{ state: string; count: number; seconds: number }>;
type Rest = Readonly<{ chunks: number; workers: number; changes: number; bytes: number }>;

/** Written so that an index is used: very many may have ended. */
export const openByState = `
  SELECT state, count(*)::int AS count, extract(epoch FROM now() - min(created_at))::float8 AS seconds
  FROM operation WHERE finished_at IS NULL GROUP BY state`;

/** Pending work of all tenants and processes, from the database. */
export async function operationFigures({ pool }: Database): Promise<Readings> {
  const [open, rest] = await Promise.all([
    pool.query<Row>(openByState),
    pool.query<Rest>(
      `SELECT (SELECT count(*) FROM operation_analysis)::int AS chunks, (
         SELECT count(*) FROM service_process WHERE seen_at > now() - interval '${absentSeconds} s'
       )::int AS workers,
       (SELECT GREATEST(sum(n_live_tup), 0) FROM pg_stat_user_tables WHERE relname IN ('image_change', 'video_change'))::float8 AS changes,
       (pg_total_relation_size('image_change') + pg_total_relation_size('video_change')
        + pg_total_relation_size('record_attachment'))::float8 AS bytes`,
    ),
  ]);
  const found = new Map(open.rows.map((row) => [row.state, row]));
  const { chunks = 0, workers = 0, changes = 0, bytes = 0 } = rest.rows[0] ?? {};
  return {
    operations_open: states.map((state) => ({ labels: { state }, value: found.get(state)?.count ?? 0 })),
    operations_oldest_seconds: states.map((state) => ({ labels: { state }, value: found.get(state)?.seconds ?? 0 })),
    analysis_open_chunks: [{ value: chunks }],
    workers: [{ value: workers }],
    history_changes: [{ value: changes }],
    history_bytes: [{ value: bytes }],
  };
}
