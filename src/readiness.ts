import type { Reply } from '../rest/index.ts';
import type { Services } from './graphql/index.ts';
import { engineLag } from './search/index.ts';
import type { SearchEngine } from './search/index.ts';

/** For replies that are true for a moment only. */
export const uncached = { 'Cache-Control': 'no-store' } as const;

/** Who asks does so often, and wants to know soon. */
const patienceMs = 2_000;

/** How the search engine is; without it PostgreSQL answers, so that nobody has to wait for it. */
async function describeEngine(database: Services['database'], engine: SearchEngine): Promise<Record<string, unknown>> {
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

/** Whether the services behind this one answer now. */
export async function readiness({ database, engine }: Services): Promise<Reply> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise((_, reject) => {
    timer = setTimeout(reject, patienceMs);
  });
  try {
    await Promise.race([database.pool.query('SELECT 1'), overdue]);
    const search = engine && (await Promise.race([describeEngine(database, engine), overdue]));
    const body = { status: 'ready', postgres: 'ok', ...(search !== undefined && { search }) };
    return { status: 200, body, headers: uncached };
  } catch {
    return {
      status: 503,
      body: { status: 'not ready', postgres: 'unreachable' },
      headers: { ...uncached, 'Retry-After': '5' },
    };
  } finally {
    clearTimeout(timer);
  }
}
