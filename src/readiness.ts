import type { Reply } from '../rest/index.ts';
import type { Services } from './graphql/index.ts';

/** For replies that are true for a moment only. */
export const uncached = { 'Cache-Control': 'no-store' } as const;

/** Who asks does so often, and wants to know soon. */
const patienceMs = 2_000;

/** Told while the process takes requests that it should get no more of. */
const draining: Reply = {
  status: 503,
  body: { status: 'draining' },
  headers: { ...uncached, 'Retry-After': '5' },
};

/**
 * Whether requests should be sent here now. Without the database none can be answered. Without
 * Redis all can, and workers find what is to do in the database, so that is only told.
 */
export async function readiness({ database, queue }: Services, isDraining: boolean): Promise<Reply> {
  if (isDraining) return draining;
  const [postgres, redis] = await Promise.all([
    answers(database.pool.query('SELECT 1')),
    queue.server === null ? null : answers(queue.server.ping()),
  ]);
  const others = redis === null ? {} : { redis };
  return postgres === 'ok'
    ? { status: 200, body: { status: 'ready', postgres, ...others }, headers: uncached }
    : { status: 503, body: { status: 'not ready', postgres, ...others }, headers: { ...uncached, 'Retry-After': '5' } };
}

async function answers(asking: Promise<unknown>): Promise<'ok' | 'unreachable'> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise((_, reject) => {
    timer = setTimeout(reject, patienceMs);
  });
  try {
    await Promise.race([asking, overdue]);
    return 'ok';
  } catch {
    return 'unreachable';
  } finally {
    clearTimeout(timer);
  }
}
