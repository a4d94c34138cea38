import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, startRedis } from '../../chaos/redis.ts';
import type { RedisServer } from '../../chaos/redis.ts';
import type { TenantQueue } from '../../src/backing/index.ts';
import { openRedisQueue } from '../../src/backing/queue/redis-queue.ts';
import { awaitRedis, versionIn } from '../../src/backing/queue/redis-server.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { makeCertificate } from '../support/certificate.ts';
import { noRedis, redisNote } from '../support/redis.ts';
import { timed, full } from '../support/effort.ts';

const logger = createLogger('silent');
const normal = { urgent: false } as const;

/** How an attempt to use a Redis fails, and after how long. */
async function failure(url: string): Promise<{ message: string; ms: number }> {
  const began = Date.now();
  const message = await awaitRedis(url).then(
    () => 'it works',
    (error: Error) => `${error.name}: ${error.message}`,
  );
  return { message, ms: Date.now() - began };
}

describe.skipIf(noRedis)(`the queue on Redis${redisNote}`, () => {
  let redis: RedisServer;
  let queue: TenantQueue;
  beforeAll(async () => {
    redis = await startRedis({ password: 'open sesame' });
    queue = await openRedisQueue({ url: redis.url, prefix: 'a' }, logger);
  });
  afterAll(async () => {
    await queue.close();
    await redis.kill();
  });

  it('brings each call to one worker, urgent ones first', async () => {
    for (const tenantId of [1, 2, 3]) await queue.call({ tenantId }, normal);
    await queue.call({ tenantId: 4 }, { urgent: true });
    const seen: number[] = [];
    const worker = queue.work({ concurrency: 1, handle: async ({ tenantId }) => void seen.push(tenantId) });
    await expect.poll(() => seen).toEqual([4, 1, 2, 3]);
    await worker.close();
  });

  it('takes one of several repeated calls for a tenant', async () => {
    const repeated = { urgent: false, isRepeated: true } as const;
    await new Promise((resolve) => setTimeout(resolve, 1010 - (Date.now() % 1000))); // A second begins.
    for (const tenantId of [7, 7, 7, 8]) await queue.call({ tenantId }, repeated);
    const seen: number[] = [];
    const worker = queue.work({ concurrency: 5, handle: async ({ tenantId }) => void seen.push(tenantId) });
    await expect.poll(() => seen).toHaveLength(2);
    await worker.close();
    expect(seen.toSorted()).toEqual([7, 8]);
  });

  it('keeps installations apart by their prefix', async () => {
    const other = await openRedisQueue({ url: redis.url, prefix: 'b' }, logger);
    const seen: string[] = [];
    const works = [
      queue.work({ concurrency: 5, handle: async ({ tenantId }) => void seen.push(`a ${tenantId}`) }),
      other.work({ concurrency: 5, handle: async ({ tenantId }) => void seen.push(`b ${tenantId}`) }),
    ];
    await other.call({ tenantId: 1 }, normal);
    await queue.call({ tenantId: 2 }, normal);
    await expect.poll(() => seen.toSorted()).toEqual(['a 2', 'b 1']);
    for (const worker of works) await worker.close();
    await other.close();
  });

  it('goes on after it was emptied, also for a worker that waits and for one at work', async () => {
    const seen: number[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const worker = queue.work({
      concurrency: 5,
      async handle({ tenantId }) {
        seen.push(tenantId);
        if (tenantId === 1) await held;
      },
    });
    await queue.call({ tenantId: 1 }, normal);
    await expect.poll(() => seen).toEqual([1]);
    await redis.command('FLUSHALL');
    release();
    await queue.call({ tenantId: 2 }, normal);
    await expect.poll(() => seen).toEqual([1, 2]);
    await redis.command('SCRIPT', 'FLUSH');
    await queue.call({ tenantId: 3 }, normal);
    await expect.poll(() => seen).toEqual([1, 2, 3]);
    await worker.close();
  });

  it('refuses calls at once while it is unreachable, and takes them again when it is back', timed, async () => {
    const seen: number[] = [];
    const worker = queue.work({ concurrency: 5, handle: async ({ tenantId }) => void seen.push(tenantId) });
    await redis.kill();
    const began = Date.now();
    await expect(queue.call({ tenantId: 1 }, normal)).rejects.toThrow(/./);
    expect(Date.now() - began).toBeLessThan(2_500);
    await expect.poll(() => queue.server?.ping().catch((error: Error) => error.message)).toMatch(/ECONNREFUSED/);
    await redis.start();
    await expect.poll(() => queue.call({ tenantId: 2 }, normal).then(() => 'taken'), { timeout: 15_000 }).toBe('taken');
    await expect.poll(() => seen, { timeout: 15_000 }).toContain(2);
    await worker.close();
  });

  it('refuses calls after two seconds while it stands still', timed, async () => {
    redis.pause();
    const began = Date.now();
    await expect(queue.call({ tenantId: 1 }, normal)).rejects.toThrow(/./);
    expect(Date.now() - began).toBeLessThan(4_000);
    redis.resume();
    await expect.poll(() => queue.server?.ping().then(() => 'ok')).toBe('ok');
  });

  it('lets a worker close while it is unreachable', full, async () => {
    const worker = queue.work({ concurrency: 5, handle: async () => {} });
    await queue.call({ tenantId: 1 }, normal);
    await redis.kill();
    await new Promise((resolve) => setTimeout(resolve, 500));
    const began = Date.now();
    await worker.close();
    expect(Date.now() - began).toBeLessThan(5_000);
    await redis.start();
  });
});

describe.skipIf(noRedis)(`a Redis that cannot be used${redisNote}`, () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis({ password: 'open sesame' });
  });
  afterAll(() => redis.kill());

  it.each([
    ['a wrong password', ':wrong@', '', /WRONGPASS/],
    ['no password', '', '', /NOAUTH/],
    ['a database that is not there', ':open%20sesame@', '/99', /DB index is out of range/],
  ])('by %s is reported at once, without the password', async (_, access, path, reason) => {
    const { message, ms } = await failure(`redis://${access}127.0.0.1:${redis.port}${path}`);
    expect(message).toMatch(reason);
    expect(message).toMatch(`SetupError: Redis at 127.0.0.1:${redis.port} cannot be used: `);
    expect(message).toMatch('Without REDIS_URL the queue is in PostgreSQL.');
    expect(message).not.toMatch(/wrong@|sesame/);
    expect(ms).toBeLessThan(5_000);
  });

  it('is waited for, and used when it comes', timed, async () => {
    await redis.kill();
    const waiting = awaitRedis(redis.url);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await redis.start();
    await expect(waiting).resolves.toBeUndefined();
  });
});

it('an address without a Redis is reported after ten seconds', full, async () => {
  const port = await freePort();
  const { message, ms } = await failure(`redis://127.0.0.1:${port}`);
  expect(message).toMatch(`Redis at 127.0.0.1:${port} cannot be used within 10 s: connect ECONNREFUSED`);
  expect(ms).toBeLessThan(16_000);
});

it('another server in its place is reported at once', timed, async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {}).on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { message, ms } = await failure(`redis://127.0.0.1:${port}`);
  server.close();
  expect(message).toMatch('the server is not Redis');
  expect(ms).toBeLessThan(6_000);
});

it(
  'a Redis that goes silent while the queue is opened is reported after ten seconds, and no connection to it stays',
  full,
  async () => {
    const info = '# Server\r\nredis_version:7.2.0\r\n';
    let count = 0;
    const open = new Set<Socket>();
    const server = createServer((socket) => {
      const isFirst = (count += 1) === 1;
      open.add(socket);
      socket.on('error', () => {}).on('close', () => open.delete(socket));
      socket.on('data', () => isFirst && socket.write(`$${info.length}\r\n${info}\r\n`));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const opening = openRedisQueue({ url: `redis://127.0.0.1:${port}`, prefix: 'a' }, logger);
    await expect(opening).rejects.toThrow(/^Redis at 127.0.0.1:\d+ cannot be used within 10 s: /);
    await expect.poll(() => open.size).toBe(0);
    const before = count;
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(count).toBe(before);
    server.close();
  },
);

describe('a Redis that is asked for TLS', () => {
  const certificate = makeCertificate();

  /** The error about the server that listens there; waiting would not change it. */
  async function refusal(server: Server): Promise<string> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { message } = await failure(`rediss://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.close();
    return message;
  }

  it.skipIf(certificate === null)(
    `is refused with the way to trust it (${certificate === null ? 'skipped: no openssl' : 'openssl'})`,
    async () => {
      const message = await refusal(createTlsServer(certificate ?? {}));
      expect(message).toMatch(/: self-signed certificate\.\nSet the authority .* NODE_EXTRA_CA_CERTS/);
    },
  );

  it('is distinguished from one without TLS', async () => {
    const plain = createServer((socket) => {
      socket.on('error', () => {}).once('data', () => socket.end('-ERR Protocol error\r\n'));
    });
    expect(await refusal(plain)).toMatch(/: it does not support TLS\.\nUse redis:\/\/ instead/);
  });
});

it('the version is read from the information that the server sends', () => {
  expect(versionIn('# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\n')).toBe('7.0.15');
  expect(versionIn('# Server\r\n')).toBeNull();
});
