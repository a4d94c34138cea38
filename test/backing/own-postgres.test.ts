import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { grantTo, prepareDatabase, serverFault } from '../../src/backing/index.ts';
import { SetupError } from '../../src/lib/errors.ts';
import { removeExpired } from '../../src/operations/index.ts';
import { cloneDatabase, onDatabase } from '../support/database.ts';
import { pgbouncerVersion, startPgBouncer } from '../support/pgbouncer.ts';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';
import { full } from '../support/effort.ts';

const admin = inject('postgresUrl');

/** A database of an owner's, and the address of a role that may only use it. */
async function ownedDatabase() {
  const suffix = randomBytes(4).toString('hex');
  const [name, owner, user] = [`own_${suffix}`, `owner_${suffix}`, `user_${suffix}`];
  await onDatabase(admin, async (client) => {
    await client.query(`CREATE ROLE ${owner} LOGIN PASSWORD 'o'`);
    await client.query(`CREATE ROLE ${user} LOGIN PASSWORD 'u'`);
    await client.query(`CREATE DATABASE ${name} OWNER ${owner}`);
  });
  const as = (role: string, password: string) => {
    const url = new URL(admin);
    Object.assign(url, { username: role, password, pathname: `/${name}` });
    return url.href;
  };
  return {
    user,
    ownersUrl: as(owner, 'o'),
    usersUrl: as(user, 'u'),
    drop: () =>
      onDatabase(admin, async (client) => {
        await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
        for (const role of [owner, user]) await client.query(`DROP ROLE ${role}`);
      }),
  };
}

/** What a service does all day. */
async function useIt(world: World): Promise<void> {
  const client = await world.client();
  const ids = Array.from({ length: 30 }, (_, i) => `r${i}`);
  const picture = await world.picture('one.png');
  const stored = await client.write(
    'POST',
    '/imgs',
    ids.map((id) => ({ id, src_path: picture, title: `Title ${id}`, keywords: ['sea', id] })),
  );
  expect(stored).toMatchObject({ num_good: 30, num_bad: 0, is_finished: true });
  const answers = await Promise.all(
    ids.flatMap((id) => [client.rest('GET', `/imgs/${id}`), client.rest('GET', `/imgs?q=sea ${id}&count=true`)]),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect((await client.rest('GET', '/imgs?q=sea&count=true')).body.count).toBe(30);
  const changes = ids.map((id) => client.write('PATCH', `/imgs/${id}`, { title: 'New' }));
  for (const change of await Promise.all(changes)) expect(change).toMatchObject({ num_good: 1 });
  expect(await client.write('DELETE', '/imgs/r0')).toMatchObject({ num_good: 1 });
  expect(await removeExpired(world.backing.database)).not.toBeNull();
}

describe('an own PostgreSQL', () => {
  let database: Awaited<ReturnType<typeof ownedDatabase>>;
  beforeAll(async () => {
    database = await ownedDatabase();
  });
  afterAll(() => database.drop());

  it('without tables is refused where a start makes none, and where its user may not make them', async () => {
    const asUser = (migrates: boolean) => prepareDatabase(database.usersUrl, { migrates });
    await expect(asUser(false)).rejects.toThrow(/is missing \d+ migration\(s\).*\nRun "vitrine migrate"/s);
    await expect(asUser(true)).rejects.toThrow(
      /cannot create or change the tables: it lacks the right CREATE.*vitrine migrate --grant/s,
    );
  });

  it('is migrated by the owner of its tables and served by a role that may change rows alone', full, async () => {
    expect(await prepareDatabase(database.ownersUrl, { migrates: true })).not.toEqual([]);
    expect(await prepareDatabase(database.ownersUrl, { migrates: false })).toEqual([]);
    await grantTo(database.ownersUrl, database.user);
    const world = await openWorld({
      database: { url: database.usersUrl, drop: async () => {} },
      environment: { DATABASE_MIGRATE: 'off' },
    });
    try {
      await useIt(world);
      const attempt = (text: string) => world.backing.database.pool.query(text);
      for (const text of [
        'CREATE TABLE own (id int)',
        'DROP TABLE image',
        'ALTER TABLE image ADD COLUMN own int',
        'TRUNCATE image',
        `UPDATE "_prisma_migrations" SET checksum = ''`,
        'CREATE SCHEMA own',
        'CREATE ROLE own',
      ]) {
        await expect(attempt(text), text).rejects.toThrow(/permission denied|must be owner/);
      }
    } finally {
      await world.close();
    }
  });

  it('has its statements ended after the time that is configured', async () => {
    const world = await openWorld({ worker: false, environment: { DATABASE_TIMEOUT: '1', DATABASE_CONNECTIONS: '3' } });
    try {
      const { pool } = world.backing.database;
      expect(pool.options.max).toBe(3);
      await expect(pool.query('SELECT pg_sleep(5)')).rejects.toThrow('statement timeout');
    } finally {
      await world.close();
    }
  });

  it('that cannot be used is named with what to do', async () => {
    const { drop, url } = await cloneDatabase(admin);
    const other = (change: Partial<URL>) => Object.assign(new URL(url), change).href;
    try {
      for (const [address, words] of [
        [other({ password: 'wrong' }), /password authentication failed.*\nCheck user and password/s],
        [other({ pathname: '/nothing' }), /does not exist.*\nCreate the database first/s],
        [other({ port: '1' }), /\nCheck host and port/],
      ] as const) {
        const attempt = prepareDatabase(address, { migrates: true });
        await expect(attempt).rejects.toThrow(SetupError);
        await expect(attempt).rejects.toThrow(words);
      }
    } finally {
      await drop();
    }
  });

  it('must be of version 15 or newer and encoded in UTF-8', () => {
    expect(serverFault(140_012, '14.12', 'UTF8')).toBe('PostgreSQL 14.12 is too old: Vitrine needs 15 or newer.');
    expect(serverFault(150_000, '15.0', 'SQL_ASCII')).toContain('encoded in SQL_ASCII');
    expect(serverFault(150_000, '15.0', 'UTF8')).toBeNull();
  });
});

describe.skipIf(pgbouncerVersion === null)('behind PgBouncer in transaction mode', () => {
  it('everything works, with the direct address for what needs a session', async () => {
    const database = await cloneDatabase(admin);
    const bouncer = await startPgBouncer(database.url);
    const world = await openWorld({
      database: { url: bouncer.url, drop: database.drop },
      environment: { DATABASE_DIRECT_URL: database.url },
    });
    try {
      await useIt(world);
      const { rows } = await onDatabase(admin, (client) =>
        client.query<{ count: number }>(
          `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = $1 AND application_name = 'vitrine'`,
          [new URL(database.url).pathname.slice(1)],
        ),
      );
      expect(rows[0]?.count).toBeLessThanOrEqual(4);
    } finally {
      await world.close();
      await bouncer.stop();
    }
  });
});
