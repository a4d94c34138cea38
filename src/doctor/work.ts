import type pg from 'pg';
import type { Finding } from './finding.ts';

/** A worker sends a heartbeat more often than this, and an operation of usual size finishes long before. */
const limits = { silentSeconds: 10, oldSeconds: 600, lagSeconds: 60 } as const;

/** The number of running processes, as SQL. */
export const processesRunning = `(SELECT count(*) FROM service_process WHERE seen_at > now() - interval '${limits.silentSeconds} s')`;

type Work = Readonly<{ workers: number; waiting: number; chunks: number; oldest: number | null; id: string | null }>;
type MeilisearchState = Readonly<{ pending: number; refused: number; lag: number; unfilled: number }>;

/** Findings about waiting work, and about changes that have not reached Meilisearch. */
export async function findWork(client: pg.Client, { hasMeilisearch }: { hasMeilisearch: boolean }): Promise<Finding[]> {
  return [await findWorkers(client), ...(hasMeilisearch ? [await findLag(client)] : [])];
}

async function findWorkers(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<Work>(
    `SELECT ${processesRunning}::int AS workers,
            (SELECT count(*) FROM operation WHERE state <> 'finished')::int AS waiting,
            (SELECT count(*) FROM operation_analysis)::int AS chunks, o.id::text AS id,
            extract(epoch FROM now() - o.created_at)::int AS oldest
     FROM (SELECT) one LEFT JOIN (
       SELECT id, created_at FROM operation WHERE state <> 'finished' ORDER BY created_at LIMIT 1) o ON true`,
  );
  const { workers, waiting, chunks, oldest, id } = rows[0] as Work;
  const work =
    waiting + chunks === 0 ? 'queue empty' : `${waiting} operations and ${chunks} chunks of analysis waiting`;
  const text = `${workers === 1 ? '1 worker' : `${workers} workers`} running, ${work}`;
  if (workers === 0 && waiting + chunks > 0) {
    const remedy = 'Start a process with ROLE worker or all, or find out why it ends; nothing is lost.';
    return { subject: 'work', state: 'fault', text, remedy };
  }
  if (oldest !== null && oldest > limits.oldSeconds) {
    const remedy = `Operation ${id} was accepted ${Math.round(oldest / 60)} min ago: search the logs of the workers for its operationId.`;
    return { subject: 'work', state: 'note', text, remedy };
  }
  return { subject: 'work', state: 'ok', text };
}

/** How far Meilisearch is behind, according to the database. */
async function findLag(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<MeilisearchState>(
    `SELECT count(*) FILTER (WHERE error IS NULL)::int AS pending, count(error)::int AS refused,
            coalesce(extract(epoch FROM now() - min(changed_at) FILTER (WHERE error IS NULL)), 0)::int AS lag,
            (SELECT count(*) FROM search_index WHERE uid IS NULL)::int AS unfilled
     FROM search_outbox`,
  );
  const { pending, refused, lag, unfilled } = rows[0] as MeilisearchState;
  const filling = unfilled === 0 ? '' : `, ${unfilled} of its indexes not filled yet`;
  const behind = `${pending} ${pending === 1 ? 'change' : 'changes'} behind, the oldest ${lag} s old`;
  const text = `Meilisearch is ${pending > 0 ? behind : 'up to date'}${filling}`;
  if (lag > limits.lagSeconds) {
    const remedy = 'See "cannot send changes to Meilisearch" in the logs of the workers. PostgreSQL answers meanwhile.';
    return { subject: 'index', state: 'fault', text, remedy };
  }
  if (refused > 0) {
    const remedy =
      'SELECT resource, row_id, error FROM search_outbox WHERE error IS NOT NULL; PostgreSQL answers for their tenants.';
    return { subject: 'index', state: 'note', text: `Meilisearch refused ${refused} records`, remedy };
  }
  return { subject: 'index', state: 'ok', text };
}
