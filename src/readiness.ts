import type { Reply } from '../rest/index.ts';
import type { Services } from './graphql/index.ts';

/** For replies that are true for a moment only. */
export const uncached = { 'Cache-Control': 'no-store' } as const;

/** Who asks does so often, and wants to know soon. */
const patienceMs = 2_000;

/** Whether the services behind this one answer now. */
export async function readiness({ database }: Services): Promise<Reply> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise((_, reject) => {
    timer = setTimeout(reject, patienceMs);
  });
  try {
    await Promise.race([database.pool.query('SELECT 1'), overdue]);
    return { status: 200, body: { status: 'ready', postgres: 'ok' }, headers: uncached };
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
