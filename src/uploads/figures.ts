import type { Database } from '../backing/index.ts';
import type { Readings } from '../observability/metrics/index.ts';

const states = ['receiving', 'unused', 'used'] as const;

type Row = Readonly<{ state: (typeof states)[number]; files: number; bytes: number }>;

/** Metrics of the uploaded files of all tenants, from the database. */
export async function uploadFigures({ pool }: Database): Promise<Readings> {
  const { rows } = await pool.query<Row>(
    `SELECT CASE WHEN state = 'receiving' THEN 'receiving' WHEN used_at IS NULL THEN 'unused' ELSE 'used' END AS state,
            count(*)::int AS files, sum(received)::float8 AS bytes
     FROM upload WHERE state <> 'removing' GROUP BY 1`,
  );
  const found = new Map(rows.map((row) => [row.state, row]));
  return {
    uploaded_files: states.map((state) => ({ labels: { state }, value: found.get(state)?.files ?? 0 })),
    uploaded_bytes: states.map((state) => ({ labels: { state }, value: found.get(state)?.bytes ?? 0 })),
  };
}
