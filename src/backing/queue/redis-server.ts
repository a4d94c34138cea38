import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { SetupError } from '../../lib/errors.ts';
import { isDistrusted, trustHint } from '../postgres/unavailable.ts';

/** How long the start waits for a Redis that does not answer: it may be starting, too. */
export const waitMs = 10_000;
/** How long one attempt may take. */
const attemptMs = 3_000;
const pauseMs = 250;
const leastVersion = 7;

const otherHint = 'Start it or correct REDIS_URL. Without REDIS_URL the queue is in PostgreSQL.';

/**
 * Waits some seconds for Redis to answer.
 *
 * @throws SetupError if it does not, refuses access, or is too old; without the password of the URL.
 */
export async function awaitRedis(url: string): Promise<void> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    const fault = await tryRedis(url);
    if (fault === null) return;
    if (!fault.mayPass || Date.now() + pauseMs > deadline) {
      throw unusable(url, fault);
    }
    await sleep(pauseMs);
  }
}

/** The error for a Redis that did not become usable, or that is not worth waiting for. */
export function unusable(url: string, { reason, mayPass, remedy = otherHint }: Fault): SetupError {
  const waited = mayPass ? ` within ${waitMs / 1000} s` : '';
  return new SetupError(`Redis at ${placeOf(url)} cannot be used${waited}: ${reason}.\n${remedy}`);
}

/** Why a Redis cannot be used, whether that may pass, and a remedy if one is known. */
type Fault = Readonly<{ reason: string; mayPass: boolean; remedy?: string }>;

/** Why a Redis cannot be used now; null if it can. */
export async function tryRedis(url: string): Promise<Fault | null> {
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: attemptMs,
    commandTimeout: attemptMs,
  });
  const errors: Error[] = [];
  redis.on('error', (error: Error) => errors.push(error));
  try {
    await redis.connect();
    const version = versionIn(await redis.info('server'));
    const [refusal] = errors; // A wrong database is reported as an event, and the connection continues with another one.
    if (refusal !== undefined) return toFault(refusal);
    if (version !== null && Number.parseInt(version) >= leastVersion) return null;
    return { reason: `its version is ${version ?? 'unknown'}, and ${leastVersion} or newer is needed`, mayPass: false };
  } catch (error) {
    return toFault(errors[0] ?? (error as Error));
  } finally {
    redis.disconnect();
  }
}

/** Redis's own error codes for writes that it refuses, in words. */
const writeRefusals: readonly (readonly [code: RegExp, reason: string])[] = [
  [/^OOM/, 'its memory is full (maxmemory)'],
  [/^READONLY/, 'it is a read-only replica'],
  [/^MISCONF/, 'it cannot save to its disk'],
  [/^NOREPLICAS/, 'too few replicas follow it'],
  [/^NOPERM/, 'its user may not write'],
];

/** Why Redis refuses writes, found out with a key that expires after a second; null if it accepts them. */
export async function redisWriteFault(redis: Redis, key = 'vitrine:probe'): Promise<string | null> {
  try {
    await redis.set(key, '1', 'PX', 1_000);
    return null;
  } catch (error) {
    const { message } = error as Error;
    const known = writeRefusals.find(([code]) => code.test(message));
    if (known === undefined) throw error;
    return known[1];
  }
}

/** Errors of the server are here to stay; errors of the network may pass. */
function toFault(error: Error): Fault {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (isDistrusted(error)) {
    return error.message.includes('certificate')
      ? { reason: error.message.split(';', 1)[0] ?? '', mayPass: false, remedy: trustHint } // Newer Node adds its own advice.
      : {
          reason: 'it does not support TLS',
          mayPass: false,
          remedy: 'Use redis:// instead of rediss:// in REDIS_URL.',
        };
  }
  const isRefused = error.name === 'ReplyError' && !/^(?:LOADING|BUSY|MASTERDOWN)/.test(error.message);
  const isNoRedis = error.message.startsWith('Protocol error');
  const reason = isNoRedis ? 'the server is not Redis' : error.message || code || 'it closed the connection';
  return { reason: reason.replace(/\.+$/, ''), mayPass: !isRefused && !isNoRedis };
}

/** The version in Redis's INFO; Valkey reports which Redis it is compatible with. */
export function versionIn(info: string): string | null {
  return /^redis_version:(\S+)/m.exec(info)?.[1] ?? null;
}

/** Host and port: the parts of the URL that may be shown. */
function placeOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname || 'localhost'}:${port || 6379}`;
}
