import { Redis } from 'ioredis';
import { tryRedis } from '../backing/index.ts';
import type { Config } from '../config/config.ts';
import { withoutPassword } from './finding.ts';
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
  const policy = await policyOf(url).catch(() => null);
  if (policy === null || policy === 'noeviction') {
    return [{ subject: 'redis', state: 'ok', text: `Redis at ${withoutPassword(url)} answers` }];
  }
  const text = `Redis at ${withoutPassword(url)} evicts keys when it is full (${policy})`;
  return [{ subject: 'redis', state: 'fault', text, remedy: 'Set maxmemory-policy noeviction.' }];
}

/** The eviction policy; null if Redis does not report it. */
async function policyOf(url: string): Promise<string | null> {
  const client = new Redis(url, { lazyConnect: true, connectTimeout: timeoutMs, retryStrategy: () => null });
  client.on('error', () => {}); // Reported by the command that fails.
  try {
    await client.connect();
    return /^maxmemory_policy:(\S+)/m.exec(await client.info('memory'))?.[1] ?? null;
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
  const url = `http://${reachable(name)}:${number}/ready`;
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

/** The host of a URL for a server's own address: this machine if it listens on all interfaces; IPv6 in brackets. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
}
