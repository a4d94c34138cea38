import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { isOverdue, isUnavailable, openBacking, openDatabase, startEmbeddedPostgres } from '../../src/backing/index.ts';
import type { Backing, EmbeddedPostgres } from '../../src/backing/index.ts';
import { readConfig } from '../../src/config/config.ts';
import { createServer } from '../../src/http/connection/server.ts';
import { createLogger } from '../../src/observability/logger.ts';
import type { Logger } from '../../src/observability/logger.ts';
import { createHandler } from '../../src/app/server.ts';
import { createApiKey, createTenant, openAccess } from '../../src/tenants/index.ts';
import type { Access } from '../../src/tenants/index.ts';
import { createClient } from '../support/world.ts';
import type { Client } from '../support/world.ts';

const logger = createLogger('silent');

describe('while PostgreSQL is unreachable', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-away-'));
  const lines: Readonly<{ msg: string; reason?: string; seconds?: number; unserved?: number }>[] = [];
  const heard: Logger = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
  let postgres: EmbeddedPostgres;
  let backing: Backing;
  let access: Access;
  let client: Client;
  let server: ReturnType<typeof createServer>;

  // The service knows one address; behind it, the database may stop and come back on another port.
  const relay = createTcpServer((socket) => {
    const upstream = connect(Number(new URL(postgres.url).port), '127.0.0.1');
    upstream.on('error', () => {}).on('close', () => socket.destroy());
    socket.on('error', () => {}).on('close', () => upstream.destroy());
    upstream.pipe(socket).pipe(upstream);
  });

  beforeAll(async () => {
    chmodSync(folder, 0o755);
    postgres = await startEmbeddedPostgres({ dataDir: folder, settings: ['fsync=off'] });
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    const address = new URL(postgres.url);
    address.port = String((relay.address() as AddressInfo).port);
    const config = readConfig({ DATABASE_URL: address.href, DATA_DIR: folder });
    backing = await openBacking(config, heard, { ownsDataDir: false });
    const { database, notifications, queue } = backing;
    access = openAccess(backing, config, logger);
    server = createServer(createHandler({ database, notifications, queue, logger: heard, access }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { id: tenantId } = await createTenant(database, 'agency');
    const { secret } = await createApiKey(database, { tenantId, name: 'desk', role: 'admin' });
    client = createClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, secret);
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await access.close();
    await backing.close();
    relay.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const query = '{ image(id: "a") { title } }';
  const ask = {
    record: () => client.rest('GET', '/imgs/a'),
    list: () => client.rest('GET', '/imgs?limit=1'),
    operations: () => client.rest('GET', '/ops'),
    operation: () => client.rest('GET', '/ops/1'),
    write: () => client.rest('POST', '/imgs/a', { src: 'http://127.0.0.1/a.jpg' }),
  };
  const graphql = (text = query) => client.rest('POST', '/graphql', { query: text });

  it('answers 503 over REST and GraphQL at once, also at /ready, and recovers without a restart', async () => {
    expect((await ask.record()).status).toBe(404);
    expect((await graphql()).status).toBe(200);
    expect((await client.rest('GET', '/ready')).status).toBe(200);
    await postgres.stop();

    const began = performance.now();
    // Once while the key is still remembered, once when it has to be looked up.
    for (const wait of [0, 1_000]) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      for (const [name, request] of Object.entries(ask)) {
        const { status, headers, body } = await request();
        expect([name, status, headers.get('retry-after'), body]).toEqual([
          name,
          503,
          '5',
          { detail: expect.any(String), code: 'unavailable', hint: expect.any(String) },
        ]);
      }
      const seen = [query, '{ operations(limit: 1) { count } }', '{ operation(id: 1) { numGood } }'];
      for (const text of [...seen, ...seen]) {
        const { status, headers, body } = await graphql(text);
        expect([text, status, headers.get('retry-after')]).toEqual([text, 503, '5']);
        expect(body.errors[0].extensions).toMatchObject({ code: 'unavailable', hint: expect.any(String) });
        expect(JSON.stringify(body)).not.toMatch(/ECONN|prisma|127\.0/i);
      }
      const ready = await client.rest('GET', '/ready');
      expect([ready.status, ready.headers.get('retry-after'), ready.body.postgres]).toEqual([503, '5', 'unreachable']);
      expect((await client.rest('GET', '/health')).status).toBe(200);
    }
    expect(performance.now() - began).toBeLessThan(20_000);

    const about = (words: RegExp) => lines.filter(({ msg }) => words.test(msg));
    expect(about(/^the database (?:is|did)/)).toEqual([
      expect.objectContaining({ level: 40, reason: expect.stringMatching(/./) }),
    ]);

    postgres = await startEmbeddedPostgres({ dataDir: folder, settings: ['fsync=off'] });
    await expect.poll(async () => (await client.rest('GET', '/ready')).status, { timeout: 10_000 }).toBe(200);
    expect((await ask.record()).status).toBe(404);
    expect((await ask.operations()).body).toEqual([]);
    expect((await graphql()).body.data).toEqual({ image: null });
    expect((await ask.write()).status).toBe(202);
    await expect.poll(() => about(/^the database is back/), { timeout: 5_000 }).toHaveLength(1);
    const [back] = about(/^the database is back/);
    expect(back).toMatchObject({ seconds: expect.any(Number) });
    expect(back?.unserved).toBeGreaterThanOrEqual(2 * (Object.keys(ask).length + 6));
  });
});

describe('waiting for the database', () => {
  const timeouts = { connectMs: 300, statementMs: 400, answerMs: 900 };

  it('ends when a statement takes too long, and the connection serves the next one', async () => {
    const database = openDatabase({ url: inject('postgresUrl'), maxConnections: 1, logger, timeouts });
    const error = await database.pool.query('SELECT pg_sleep(5)').catch((reason: unknown) => reason);
    expect([isOverdue(error), isUnavailable(error)]).toEqual([true, false]);
    expect((await database.pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await database.close();
  });

  it('ends when there is no free connection', async () => {
    const database = openDatabase({ url: inject('postgresUrl'), maxConnections: 1, logger, timeouts });
    const held = await database.pool.connect();
    expect(isUnavailable(await database.pool.query('SELECT 1').catch((reason: unknown) => reason))).toBe(true);
    held.release();
    await database.close();
  });

  it('ends when the server says nothing at all', async () => {
    const silent = createTcpServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const database = openDatabase({ url: `postgresql://a:b@127.0.0.1:${port}/c`, logger, timeouts });
    expect(isUnavailable(await database.pool.query('SELECT 1').catch((reason: unknown) => reason))).toBe(true);
    await database.close();
    silent.close();
  });

  it('ends when the server falls silent in the middle of a statement', async () => {
    const database = openDatabase({
      url: inject('postgresUrl'),
      maxConnections: 1,
      logger,
      timeouts: { ...timeouts, statementMs: 3_000 },
    });
    const error = await database.pool.query('SELECT pg_sleep(2)').catch((reason: unknown) => reason);
    expect(isUnavailable(error)).toBe(true);
    await database.close();
  });

  it('is what a password that was changed, a database that was dropped and a distrusted server look like', async () => {
    const other = (change: Partial<URL>) => Object.assign(new URL(inject('postgresUrl')), change).href;
    for (const url of [other({ password: 'changed' }), other({ pathname: '/dropped' }), other({ search: '?ssl=1' })]) {
      const database = openDatabase({ url, logger, timeouts });
      expect(isUnavailable(await database.pool.query('SELECT 1').catch((reason: unknown) => reason)), url).toBe(true);
      const found = await database.prisma.tenant.findFirst().catch((reason: unknown) => reason);
      expect(isUnavailable(found), `${url} ${String(found)}`).toBe(true);
      await database.close();
    }
    for (const code of ['CERT_HAS_EXPIRED', 'SELF_SIGNED_CERT_IN_CHAIN', 'ERR_TLS_CERT_ALTNAME_INVALID']) {
      expect(isUnavailable(Object.assign(new Error('distrusted'), { code }))).toBe(true);
    }
  });

  it('is nothing that a mistake in a statement looks like', async () => {
    const database = openDatabase({ url: inject('postgresUrl'), logger });
    for (const text of ['SELEKT', 'SELECT 1/0', 'SELECT * FROM nowhere']) {
      const error = await database.pool.query(text).catch((reason: unknown) => reason);
      expect([isUnavailable(error), isOverdue(error)]).toEqual([false, false]);
    }
    await database.close();
  });
});
