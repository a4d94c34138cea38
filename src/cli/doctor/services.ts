import { Redis } from 'ioredis';
import { tryRedis } from '../../backing/index.ts';
import { reasonOf, shown } from './finding.ts';
import type { Finding } from './finding.ts';

const patienceMs = 5_000;

/** Redis: whether it answers, is new enough, and keeps what it is given. */
export async function findRedis(url: string | undefined): Promise<Finding[]> {
  if (url === undefined) return [{ subject: 'redis', state: 'note', text: 'none: the queue is in PostgreSQL' }];
  const fault = await tryRedis(url);
  if (fault !== null) {
    const text = `Redis at ${shown(url)} cannot be used: ${fault.reason}`;
    const remedy = 'Start it, correct REDIS_URL, or unset it everywhere: the queue then lives in PostgreSQL.';
    return [{ subject: 'redis', state: 'fault', text, remedy }];
  }
  const policy = await policyOf(url).catch(() => null);
  if (policy === null || policy === 'noeviction') {
    return [{ subject: 'redis', state: 'ok', text: `Redis at ${shown(url)} answers` }];
  }
  const text = `Redis at ${shown(url)} throws keys away when it is full (${policy})`;
  return [{ subject: 'redis', state: 'fault', text, remedy: 'Set maxmemory-policy noeviction.' }];
}

/** What it does when it is full; null where it does not say. */
async function policyOf(url: string): Promise<string | null> {
  const client = new Redis(url, { lazyConnect: true, connectTimeout: patienceMs, retryStrategy: () => null });
  client.on('error', () => {}); // Told by the command that fails.
  try {
    await client.connect();
    return /^maxmemory_policy:(\S+)/m.exec(await client.info('memory'))?.[1] ?? null;
  } finally {
    client.disconnect();
  }
}

/** Meilisearch: whether it answers, lets the key in, and is new enough. */
export async function findEngine(
  engine: Readonly<{ url: string; key: string | undefined }> | null,
): Promise<Finding[]> {
  if (engine === null) return [{ subject: 'engine', state: 'note', text: 'none: PostgreSQL searches' }];
  const { url, key } = engine;
  const ask = (path: string) =>
    fetch(`${url.replace(/\/+$/, '')}${path}`, {
      headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(patienceMs),
    });
  try {
    const answer = await ask('/version');
    if (answer.status === 401 || answer.status === 403) {
      // A key for our indexes alone may look at them, and cannot be given the right to ask for the version.
      if ((await ask('/indexes?limit=1')).ok) {
        const text = `Meilisearch at ${shown(url)} takes the key, which is for some indexes and may not ask for the version`;
        return [{ subject: 'engine', state: 'note', text, remedy: 'The service needs 1.28 or newer.' }];
      }
      const text = `Meilisearch at ${shown(url)} refuses the key (${answer.status})`;
      const remedy = 'Set MEILI_KEY to its master key, or to one with the actions that docs/engine.md names.';
      return [{ subject: 'engine', state: 'fault', text, remedy }];
    }
    const { pkgVersion = '0.0' } = (await answer.json()) as { pkgVersion?: string };
    const [major = 0, minor = 0] = pkgVersion.split('.').map(Number);
    const text = `Meilisearch ${pkgVersion} at ${shown(url)}`;
    if (major > 1 || (major === 1 && minor >= 28)) return [{ subject: 'engine', state: 'ok', text }];
    return [{ subject: 'engine', state: 'fault', text, remedy: 'The service needs 1.28 or newer.' }];
  } catch (error) {
    const text = `Meilisearch does not answer at ${shown(url)}: ${reasonOf(error)}`;
    return [
      { subject: 'engine', state: 'fault', text, remedy: 'Check MEILI_URL; until it answers PostgreSQL searches.' },
    ];
  }
}

/** The service itself, at the address that the configuration gives it. */
export async function findApi({ host, port }: Readonly<{ host: string; port: number }>): Promise<Finding[]> {
  const url = `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}/ready`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(patienceMs) });
    const isOurs = answer.headers.has('api-version');
    if (isOurs && answer.ok) return [{ subject: 'api', state: 'ok', text: `answers at ${url}` }];
    const text = isOurs ? `is up but not ready: ${await answer.text()}` : `something else answers at ${url}`;
    return [{ subject: 'api', state: 'fault', text, remedy: isOurs ? 'See its log.' : 'Choose another PORT.' }];
  } catch {
    return [
      { subject: 'api', state: 'note', text: `nothing answers at ${url}`, remedy: 'Start the service: npm start' },
    ];
  }
}
