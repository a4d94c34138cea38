import { Redis } from 'ioredis';
import { redisWriteFault, tryRedis } from '../backing/index.ts';
import type { Config } from '../config/config.ts';
import { ownHost } from '../lib/plain-url.ts';
import { reasonOf, withoutPassword } from './finding.ts';
import type { Finding } from './finding.ts';

const timeoutMs = 5_000;

/** Checks Redis: whether it answers, is new enough, and never evicts what it stores. */
export async function findRedis(url: string | undefined): Promise<Finding[]> {
  if (url === undefined) return [{ subject: 'redis', state: 'note', text: 'none: the queue is in PostgreSQL' }];
  const fault = await tryRedis(url);
  if (fault !== null) {
    const text = `Cannot use Redis at ${withoutPassword(url)}: ${fault.reason}`;
    const otherwise = 'Start it, correct REDIS_URL, or unset it everywhere: the queue is then in PostgreSQL.';
    const remedy = fault.remedy ?? otherwise;
    return [{ subject: 'redis', state: 'fault', text, remedy }];
  }
  const name = `Redis at ${withoutPassword(url)}`;
  const { policy, refusal } = await stateOf(url).catch((error: unknown) => ({
    policy: null,
    refusal: reasonOf(error),
  }));
  if (refusal !== null) {
    const remedy =
      'Set REDIS_URL to the primary, or give it more memory or disk; meanwhile workers find work in PostgreSQL.';
    return [{ subject: 'redis', state: 'fault', text: `${name} refuses writes: ${refusal}`, remedy }];
  }
  if (policy === null || policy === 'noeviction') return [{ subject: 'redis', state: 'ok', text: `${name} answers` }];
  const text = `${name} evicts keys when it is full (${policy})`;
  return [{ subject: 'redis', state: 'fault', text, remedy: 'Set maxmemory-policy noeviction.' }];
}

type RedisState = Readonly<{ policy: string | null; refusal: string | null }>;

/** The eviction policy, null if Redis does not report it; and why it refuses writes, null if it takes them. */
async function stateOf(url: string): Promise<RedisState> {
  const client = new Redis(url, { lazyConnect: true, connectTimeout: timeoutMs, retryStrategy: () => null });
  client.on('error', () => {}); // Reported by the command that fails.
  try {
    await client.connect();
    const info = await client.info('memory').catch(() => '');
    return { policy: /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? null, refusal: await redisWriteFault(client) };
  } finally {
    client.disconnect();
  }
}

/** Checks the service itself at its configured address; a worker only has the one of METRICS_PORT. */
export async function findApi({
  host,
  port,
  role,
  watch,
}: Pick<Config, 'host' | 'port' | 'role' | 'watch'>): Promise<Finding[]> {
  const isWorker = role === 'worker';
  const subject = isWorker ? 'worker' : 'api';
  if (isWorker && watch.metricsPort === undefined) {
    const text = 'a worker without METRICS_PORT cannot be checked';
    return [{ subject, state: 'note', text, remedy: 'Set METRICS_PORT, which also serves its metrics.' }];
  }
  const [name, number] = isWorker ? [watch.metricsHost, watch.metricsPort] : [host, port];
  const url = `http://${ownHost(name)}:${number}/ready`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    const words = await answer.text();
    const isOurs = answer.headers.has('api-version') || (isWorker && words.startsWith('{"status":'));
    if (isOurs && answer.ok) return [{ subject, state: 'ok', text: `answers at ${url}` }];
    const text = isOurs ? `is up but not ready: ${words}` : `another program answers at ${url}`;
    return [{ subject, state: 'fault', text, remedy: isOurs ? 'See its log.' : 'Choose another port.' }];
  } catch {
    return [
      { subject, state: 'note', text: `nothing is listening at ${url}`, remedy: 'Start the service: vitrine serve' },
    ];
  }
}

/** Checks the separate port of the metrics, and whether others can reach it: it asks for no key. */
export async function findMetrics({ role, watch, port, host }: Config): Promise<Finding[]> {
  const { metricsHost, metricsPort } = watch;
  if (metricsPort === undefined || role === 'worker') return [];
  const subject = 'metrics';
  if (metricsPort === port && (metricsHost === host || [metricsHost, host].some(isEverywhere))) {
    const text = `METRICS_PORT and PORT are both ${port}`;
    return [{ subject, state: 'fault', text, remedy: 'Set METRICS_PORT to another port.' }];
  }
  const url = `http://${ownHost(metricsHost)}:${metricsPort}/ready`;
  const words = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).then(
    (answer) => answer.text(),
    () => null,
  );
  const isOurs = words?.startsWith('{"status":') ?? false;
  if (words !== null && !isOurs) {
    const text = `another program answers at ${url}`;
    return [{ subject, state: 'fault', text, remedy: 'Choose another METRICS_PORT, or correct METRICS_HOST.' }];
  }
  if (words === null) return [{ subject, state: 'note', text: `nothing is listening at ${url}` }];
  if (!isEverywhere(metricsHost)) return [{ subject, state: 'ok', text: `answers at ${url}` }];
  const text = `answers at ${url}, without a key, for anyone who can reach this machine`;
  return [
    {
      subject,
      state: 'note',
      text,
      remedy: 'Set METRICS_HOST to an internal address, or let a firewall keep others out.',
    },
  ];
}

/** Notes a path in BASE_URL: the service answers at the root, so a proxy has to remove it. */
export async function findBaseUrl({ baseUrl }: Pick<Config, 'baseUrl'>): Promise<Finding[]> {
  if (baseUrl === undefined || new URL(baseUrl).pathname === '/') return [];
  const text = `BASE_URL has the path ${new URL(baseUrl).pathname}`;
  return [
    { subject: 'address', state: 'note', text, remedy: 'The proxy in front of the service must remove this path.' },
  ];
}

const isEverywhere = (host: string) => host === '0.0.0.0' || host === '::';
