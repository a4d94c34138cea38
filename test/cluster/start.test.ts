import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { findEmbeddedPostgres } from '../../src/backing/index.ts';
import { onDatabase } from '../support/database.ts';
import { lockOf, newFolder, ready, run, stop } from '../support/program.ts';
import { createClient } from '../support/world.ts';
import { full } from '../support/effort.ts';

it('processes that start together on an empty database make its tables once, and one first key', full, async () => {
  const postgres = inject('postgresUrl');
  const name = `empty_${randomBytes(4).toString('hex')}`;
  await onDatabase(postgres, (client) => client.query(`CREATE DATABASE ${name}`));
  const DATABASE_URL = postgres.replace(/\/vitrine$/, `/${name}`);
  const settings = { DATABASE_URL, PORT: '0', AI_ANALYSIS: 'off' };
  const runs = ['api', 'worker', 'api', 'worker'].map((ROLE) =>
    run(['serve'], { ...settings, ROLE, DATA_DIR: newFolder() }),
  );
  await Promise.all(runs.map(ready));
  expect(runs.filter(({ output }) => output().includes('API key'))).toHaveLength(1);
  const { rows } = await onDatabase(DATABASE_URL, (client) =>
    client.query('SELECT (SELECT count(*) FROM tenant)::int AS tenants, (SELECT count(*) FROM api_key)::int AS keys'),
  );
  expect(rows).toEqual([{ tenants: 1, keys: 1 }]);
  expect(await Promise.all(runs.map(stop))).toEqual(runs.map(() => 0));
  await onDatabase(postgres, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
});

it('a role alone without a database of its own is refused before anything starts', async () => {
  const refused = run(['serve'], { ROLE: 'worker', REDIS_URL: 'redis://', DATA_DIR: newFolder() });
  expect(await refused.ended).toBe(1);
  expect(refused.output()).toContain('2 configuration errors');
  expect(refused.output()).toContain('ROLE: worker needs DATABASE_URL');
}, 120_000);

it('a Redis that does not answer is reported within seconds, and nothing is left running', full, async () => {
  const environment = { DATA_DIR: newFolder(), PORT: '0', REDIS_URL: 'redis://:hunter2@127.0.0.1:1' };
  const refused = run(['serve'], environment);
  expect(await refused.ended).toBe(1);
  expect(refused.output()).toContain('Redis at 127.0.0.1:1 cannot be used within 10 s: connect ECONNREFUSED');
  expect(refused.output()).not.toContain('hunter2');
  expect(existsSync(lockOf(environment.DATA_DIR))).toBe(false);
});

it(
  'a start that fails when the database runs already says why, and leaves nothing running nor a key that nobody knows',
  full,
  async () => {
    const environment = { DATA_DIR: newFolder(), PORT: '0', AI_ANALYSIS: 'off' };
    const path = join(environment.DATA_DIR, 'admin-key');
    mkdirSync(path);
    const failed = run(['serve'], environment);
    expect(await failed.ended).toBe(1);
    expect(failed.output()).toContain(`The first API key cannot be written to ${path}: EISDIR`);
    expect(existsSync(lockOf(environment.DATA_DIR))).toBe(false);
    expect(await findEmbeddedPostgres(environment.DATA_DIR)).toBeNull();

    rmdirSync(path);
    const second = run(['serve'], environment);
    await ready(second);
    expect(second.output()).toContain('API key   vt_');
    expect(await stop(second)).toBe(0);
  },
);

it('the embedded database of one process serves another one, which leaves it running', full, async () => {
  const DATA_DIR = newFolder();
  const settings = { PORT: '0', ADMIN_API_KEY: 'a-key-of-the-operator-0001', AI_ANALYSIS: 'off' };
  const main = run(['serve'], { ...settings, DATA_DIR });
  const here = createClient((await ready(main)) ?? '', settings.ADMIN_API_KEY);
  const DATABASE_URL = (await findEmbeddedPostgres(DATA_DIR)) ?? '';
  const api = run(['serve'], { ...settings, DATABASE_URL, ROLE: 'api', DATA_DIR: newFolder() });
  const there = createClient((await ready(api)) ?? '', settings.ADMIN_API_KEY);
  const record = await there.write('DELETE', '/imgs', [{ id: 'none' }]);
  expect(record).toMatchObject({ is_finished: true, num_bad: 1 });
  expect(await stop(api)).toBe(0);
  expect((await here.rest('GET', '/ops')).body).toHaveLength(1);
  expect(await stop(main)).toBe(0);
});
