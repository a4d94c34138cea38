import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/backing/index.ts';
import type { Database } from '../../src/backing/index.ts';
import { readConfig } from '../../src/config/config.ts';
import { findReplicas } from '../../src/doctor/replicas.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { onDatabase } from '../support/database.ts';
import { full } from '../support/effort.ts';
import { startReplicated } from '../support/replicated.ts';
import type { Replicated } from '../support/replicated.ts';

let servers: Replicated;
let writer: Database;
const open: Database[] = [];

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-replicas-'));
  chmodSync(folder, 0o755);
  servers = await startReplicated(folder);
  writer = openDatabase({ url: servers.url, logger: createLogger('silent') });
  await writer.pool.query('CREATE TABLE written (number int)');
}, 120_000);
afterEach(() => Promise.all(open.splice(0).map((database) => database.close())));
afterAll(async () => {
  await writer?.close();
  await servers?.close();
});

/** Another process's view of the database, once it reads from the replica. */
async function reader(): Promise<Database> {
  const { url, replicaUrl } = servers;
  const database = openDatabase({ url, readUrls: [replicaUrl], logger: createLogger('silent') });
  open.push(database);
  await isIn(database, 'ready');
  return database;
}

const stateOf = ({ replicas }: Database) => replicas?.states()[0]?.state;
async function isIn(database: Database, state: string): Promise<void> {
  await expect.poll(() => stateOf(database), { timeout: 40_000, interval: 20 }).toBe(state);
}

/** What a read finds: the highest number, and whether a replica answered. */
async function highest({ replicas }: Database): Promise<{ number: number | null; onReplica: boolean }> {
  const text = 'SELECT max(number) AS number, pg_is_in_recovery() AS "onReplica" FROM written';
  const answer = await replicas?.read((pool) => pool.query<{ number: number | null; onReplica: boolean }>(text));
  return answer?.rows[0] ?? { number: null, onReplica: false };
}

let last = 0;
async function write(): Promise<number> {
  last += 1;
  await writer.pool.query('INSERT INTO written VALUES ($1)', [last]);
  return last;
}

it('without DATABASE_READ_URLS there is nothing between a read and the primary', () => {
  expect(writer.replicas).toBeNull();
});

it('a read finds what any process wrote before it, on the replica', async () => {
  const database = await reader();
  let replied = 0;
  for (let round = 0; round < 60; round += 1) {
    const number = await write();
    const found = await highest(database);
    expect(found.number).toBe(number);
    if (found.onReplica) replied += 1;
    await isIn(database, 'ready');
  }
  expect(replied).toBeGreaterThan(40);
});

it('reads at the same time share the question of what was written', async () => {
  const database = await reader();
  await highest(database);
  const asked: string[] = [];
  const query = database.pool.query.bind(database.pool) as (...args: unknown[]) => unknown;
  Object.assign(database.pool, {
    query: (statement: { text?: string }, ...rest: unknown[]) => {
      asked.push(statement.text ?? String(statement));
      return query(statement, ...rest);
    },
  });
  await Promise.all(Array.from({ length: 100 }, () => highest(database)));
  expect(asked.filter((text) => text.includes('AS position') && !text.includes('identity')).length).toBeLessThan(4);
});

it('a replica that lags is waited for briefly, left alone, and used again when it has caught up', async () => {
  const database = await reader();
  await servers.replay(false);
  try {
    const number = await write();
    const began = performance.now();
    expect(await highest(database)).toEqual({ number, onReplica: false });
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(stateOf(database)).toBe('behind');
    expect(await highest(database)).toEqual({ number, onReplica: false });
    const [finding] = await doctor();
    expect(finding).toMatchObject({ subject: 'replica', state: 'ok' });
    expect(finding?.text).toMatch(/127\.0\.0\.1:\d+.* \d+ bytes behind/);
  } finally {
    await servers.replay(true);
  }
  await isIn(database, 'ready');
  expect(await highest(database)).toEqual({ number: last, onReplica: true });
});

it('a replica that dies under reads costs no read, and is used again when it is back', async () => {
  const database = await reader();
  let isOver = false;
  const answers = Array.from({ length: 8 }, async () => {
    let reads = 0;
    for (; !isOver; reads += 1) expect((await highest(database)).number).toBe(last);
    return reads;
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  servers.killReplica();
  await isIn(database, 'away');
  const [finding] = await doctor();
  expect(finding).toMatchObject({ subject: 'replica', state: 'fault' });
  isOver = true;
  for (const reads of await Promise.all(answers)) expect(reads).toBeGreaterThan(0);
  const number = await write();
  expect(await highest(database)).toEqual({ number, onReplica: false });
  await servers.startReplica();
  await isIn(database, 'ready');
  expect(await highest(database)).toEqual({ number, onReplica: true });
});

it('a replica that freezes is cut off within seconds, and its reads are answered by the primary', full, async () => {
  const database = await reader();
  const text = 'SELECT pg_is_in_recovery() AS "onReplica", CASE WHEN pg_is_in_recovery() THEN pg_sleep(20) END';
  let askedReplica = () => {};
  const hasAsked = new Promise<void>((resolve) => (askedReplica = resolve));
  const stuck = database.replicas?.read((pool) => {
    askedReplica();
    return pool.query<{ onReplica: boolean }>(text);
  });
  await hasAsked;
  servers.freezeReplica();
  try {
    const began = performance.now();
    expect((await stuck)?.rows).toMatchObject([{ onReplica: false }]);
    await isIn(database, 'away');
    expect(performance.now() - began).toBeLessThan(10_000);
  } finally {
    servers.thawReplica();
  }
  await isIn(database, 'ready');
});

it('an error of the read itself is no reason to leave a replica', async () => {
  const database = await reader();
  const faulty = database.replicas?.read((pool) => pool.query('SELECT 1 / 0'));
  await expect(faulty).rejects.toMatchObject({ code: '22012' });
  expect(stateOf(database)).toBe('ready');
});

it('a read that a replica ends in favor of what it replays is repeated on the primary, and the replica stays', async () => {
  const database = await reader();
  const conflict = `DO $$ BEGIN IF pg_is_in_recovery() THEN RAISE SQLSTATE '40001'; END IF; END $$`;
  const asked: boolean[] = [];
  await database.replicas?.read((pool) => {
    asked.push(pool === database.pool);
    return pool.query(conflict);
  });
  expect(asked).toEqual([false, true]);
  expect(stateOf(database)).toBe('ready');
});

it('a role that can only change rows reads from a replica', async () => {
  await writer.pool.query(`CREATE ROLE app LOGIN PASSWORD 'app'; GRANT SELECT ON written TO app`);
  await write();
  const asApp = (url: string) => url.replace(/\/\/[^@]+@/, '//app:app@');
  const readUrls = [asApp(servers.replicaUrl)];
  const database = openDatabase({ url: asApp(servers.url), readUrls, logger: createLogger('silent') });
  open.push(database);
  await isIn(database, 'ready');
  expect(await highest(database)).toEqual({ number: last, onReplica: true });
});

it('another database is not read from, whoever answers', async () => {
  const other = await onDatabase(servers.url, async (client) => {
    await client.query('CREATE DATABASE other');
    return servers.url.replace(/\/vitrine$/, '/other');
  });
  const readUrls = [other, servers.url];
  const database = openDatabase({ url: servers.url, readUrls, logger: createLogger('silent') });
  open.push(database);
  const texts = (await doctor(readUrls)).map(({ state, text }) => `${state} ${text}`);
  expect(texts[0]).toMatch(/fault .*\/other: it has another database/);
  expect(texts[1]).toMatch(/fault .*\/vitrine: it is not a replica/);
  expect(database.replicas?.states().map(({ state }) => state)).toEqual(['away', 'away']);
  expect((await highest(database)).onReplica).toBe(false);
});

it('a replica that becomes a primary is no longer read from', full, async () => {
  const database = await reader();
  await servers.promoteReplica();
  await isIn(database, 'away');
  const number = await write();
  expect(await highest(database)).toEqual({ number, onReplica: false });
});

async function doctor(urls: readonly string[] = [servers.replicaUrl]) {
  return findReplicas(readConfig({ DATABASE_URL: servers.url, DATABASE_READ_URLS: urls.join(',') }));
}
