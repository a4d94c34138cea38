import { spawn, spawnSync } from 'node:child_process';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { createAsk, probesBehind, readiness } from '../../src/app/readiness.ts';
import { openDatabase } from '../../src/backing/index.ts';
import type { Backing } from '../../src/backing/index.ts';
import { freePort } from '../../src/backing/postgres/postgres-connection.ts';
import { openRedisQueue } from '../../src/backing/queue/redis-queue.ts';
import { readConfig } from '../../src/config/config.ts';
import { findDatabase } from '../../src/doctor/database.ts';
import { findRedis } from '../../src/doctor/services.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { cloneDatabase, onDatabase } from '../support/database.ts';
import { cleanUp, newFolder } from '../support/program.ts';
import { noRedis, redisNote } from '../support/redis.ts';

afterAll(cleanUp);
const logger = createLogger('silent');

/** What `/ready` answers about a database and a queue. */
function readyOf(parts: Partial<Pick<Backing, 'database' | 'queue'>>): ReturnType<typeof readiness> {
  const notifications = { check: () => Promise.resolve() };
  const pool = { query: () => Promise.resolve({ rows: [] }) };
  const backing = {
    database: { pool, outage: { code: () => null } },
    queue: { server: null },
    notifications,
    ...parts,
  };
  return readiness(createAsk(probesBehind({ ...backing, meilisearch: null } as unknown as Backing), logger), false);
}

describe('a PostgreSQL that refuses writes', () => {
  it('because it is read-only is named by doctor and by /ready, which stays 200 because reads continue', async () => {
    const { url, drop } = await cloneDatabase(inject('postgresUrl'));
    const name = url.split('/').at(-1);
    await onDatabase(url, (client) => client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`));
    const found = await findDatabase(readConfig({ DATABASE_URL: url, DATA_DIR: newFolder() }));
    expect(found).toContainEqual({
      subject: 'database',
      state: 'fault',
      text: 'writes are refused: it is read-only (default_transaction_read_only)',
      remedy: expect.stringContaining('Set DATABASE_URL to the primary'),
    });
    const database = openDatabase({ url, logger });
    expect(await readyOf({ database })).toMatchObject({
      status: 200,
      body: { status: 'ready', postgres: 'read-only' },
    });
    await database.close();
    await drop();
  });

  it('because its disk is full is named by /ready while requests fail', async () => {
    const { url, drop } = await cloneDatabase(inject('postgresUrl'));
    const database = openDatabase({ url, logger });
    expect(await readyOf({ database })).toMatchObject({ body: { postgres: 'ok' } });
    database.outage.meet(Object.assign(new Error('could not extend file'), { code: '53100' }));
    expect(await readyOf({ database })).toMatchObject({ status: 200, body: { postgres: 'disk full' } });
    await database.close();
    await drop();
  });
});

describe.skipIf(noRedis !== false)(`a Redis that refuses writes${redisNote}`, () => {
  it.each([
    ['config set maxmemory 1', 'its memory is full (maxmemory)'],
    ['replicaof 127.0.0.1 1', 'it is a read-only replica'],
  ])('after %s is named by doctor and by /ready', async (words, reason) => {
    const port = await freePort();
    const args = ['--port', String(port), '--save', '', '--dir', newFolder(), '--maxmemory-policy', 'noeviction'];
    const child = spawn('redis-server', args, { stdio: 'ignore' });
    const url = `redis://127.0.0.1:${port}`;
    try {
      const queue = await openRedisQueue({ url, prefix: 'test' }, logger);
      expect(await readyOf({ queue })).toMatchObject({ status: 200, body: { redis: 'ok' } });
      expect(await findRedis(url)).toMatchObject([{ state: 'ok' }]);
      spawnSync('redis-cli', ['-p', String(port), ...words.split(' ')]);
      expect(await readyOf({ queue })).toMatchObject({ status: 200, body: { redis: 'refuses writes' } });
      expect(await findRedis(url)).toMatchObject([{ state: 'fault', text: expect.stringContaining(reason) }]);
      await queue.close();
    } finally {
      child.kill();
    }
  });
});

it('a replica that does not answer from the start is named in the log, once', async () => {
  const lines: unknown[] = [];
  const note = (fields: unknown) => void lines.push(fields);
  const { url, drop } = await cloneDatabase(inject('postgresUrl'));
  const own = { ...logger, warn: note, info: () => {} } as unknown as typeof logger;
  const database = openDatabase({ url, logger: own, readUrls: ['postgres://u:hidden@127.0.0.1:1/x'] });
  const line = { replica: '127.0.0.1:1', reason: expect.stringContaining('ECONNREFUSED') };
  await expect.poll(() => lines, { timeout: 20_000 }).toEqual([line]);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(lines).toEqual([line]);
  await database.close();
  await drop();
});
