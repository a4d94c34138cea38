import type { Reply } from '../rest/index.ts';
import type { Services } from './graphql/index.ts';
import { engineLag } from './search/index.ts';
import type { SearchEngine } from './search/index.ts';

/** For replies that are true for a moment only. */
export const uncached = { 'Cache-Control': 'no-store' } as const;

/** Who asks does so often, and wants to know soon. */
const patienceMs = 2_000;

/** How the search engine is; without it PostgreSQL answers, so that nobody has to wait for it. */
async function describeEngine(database: Services['database'], engine: SearchEngine): Promise<object> {
  const [{ pending, refused, lagSeconds, indexes }, health] = await Promise.all([
    engineLag(database),
    engine.client.reader.health().catch(() => null),
  ]);
  const filling = indexes.flatMap(({ resource, filling: own }) => (own === null ? [] : [{ resource, ...own }]));
  return {
    engine: health === null ? 'unreachable' : indexes.every(({ isReady }) => isReady) ? 'ok' : 'filling',
    lag_seconds: Math.round(lagSeconds * 1000) / 1000,
    pending,
    refused,
    ...(filling.length > 0 && { filling }),
  };
}

/** Told while the process takes requests that it should get no more of. */
const draining: Reply = {
  status: 503,
  body: { status: 'draining' },
  headers: { ...uncached, 'Retry-After': '5' },
};

/**
 * Whether requests should be sent here now. Without the database none can be answered. Without
 * Redis all can, and workers find what is to do in the database, so that is only told; so is how the search engine is.
 */
export async function readiness({ database, queue, engine }: Services, isDraining: boolean): Promise<Reply> {
  if (isDraining) return draining;
  const [postgres, redis, search] = await Promise.all([
    answers(database.pool.query('SELECT 1')),
    queue.server === null ? null : answers(queue.server.ping()),
    engine === undefined ? null : soon(describeEngine(database, engine)),
  ]);
  const others = { ...(redis !== null && { redis }), ...(search !== null && { search }) };
  return postgres === 'ok'
    ? { status: 200, body: { status: 'ready', postgres, ...others }, headers: uncached }
    : { status: 503, body: { status: 'not ready', postgres, ...others }, headers: { ...uncached, 'Retry-After': '5' } };
}

function answers(asking: Promise<unknown>): Promise<'ok' | 'unreachable'> {
  return soon(asking.then(() => 'ok' as const));
}

async function soon<T>(asking: Promise<T>): Promise<T | 'unreachable'> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, patienceMs);
  });
  try {
    return await Promise.race([asking, overdue]);
  } catch {
    return 'unreachable';
  } finally {
    clearTimeout(timer);
  }
}
