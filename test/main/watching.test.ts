import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, inject, it } from 'vitest';
import { knownMigrations } from '../../src/backing/index.ts';
import { cloneDatabase, emptyDatabase } from '../support/database.ts';
import { newFolder, run, start, stop } from '../support/program.ts';
import { createClient } from '../support/world.ts';
import { full } from '../support/effort.ts';

const key = 'a-key-for-the-test-of-watching';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

type Line = Readonly<Record<string, unknown>>;

/** The lines of a log that say `message`. */
function linesOf(output: string, message: string): Line[] {
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === message);
}

it('a status port serves every role without a key, and the log joins requests with operations', full, async () => {
  const database = await cloneDatabase(inject('postgresUrl'));
  const environment = { DATABASE_URL: database.url, DATA_DIR: newFolder(), ADMIN_API_KEY: key, AI_ANALYSIS: 'off' };
  const api = await start({ ...environment, ROLE: 'api' });
  const port = await freePort();
  const worker = run(['serve'], { ...environment, ROLE: 'worker', METRICS_PORT: String(port) });
  const ask = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${port}${path}`, { method });
  await expect.poll(async () => (await ask('/ready').catch(() => null))?.status, { timeout: 60_000 }).toBe(200);
  expect(await (await ask('/ready')).json()).toMatchObject({ status: 'ready', postgres: 'ok' });
  expect(await (await ask('/health')).json()).toEqual({ status: 'ok' });
  expect((await ask('/imgs')).status).toBe(404);
  expect((await ask('/metrics', 'POST')).status).toBe(405);

  const client = createClient(api.url, key);
  const { body } = await client.rest('DELETE', '/imgs/none?wait=true', undefined, { 'X-Request-Id': 'from-outside' });
  const id = body.operation_id as number;
  const metrics = await (await ask('/metrics')).text();
  expect(metrics).toMatch(/^vitrine_info\{version="[^"]+",role="worker"\} 1$/m);
  expect(metrics).toMatch(/^vitrine_operation_seconds_count\{outcome="finished"\} 1$/m);
  expect(linesOf(api.output(), 'operation accepted')).toEqual([
    expect.objectContaining({ operationId: id, requestId: 'from-outside', kind: 'images.delete', elements: 1 }),
  ]);
  const ended = linesOf(worker.output(), 'operation ended');
  expect(ended).toEqual([expect.objectContaining({ operationId: id, outcome: 'finished', good: 0, bad: 1 })]);
  const reported = ['level', 'time', 'operationId', 'tenantId', 'outcome', 'seconds', 'good', 'bad', 'msg'];
  expect(Object.keys(ended[0] ?? {}).filter((key) => !reported.includes(key))).toEqual([]);
  expect(await Promise.all([stop(api), stop(worker)])).toEqual([0, 0]);
  await database.drop();
});

it('a start that may not migrate says what is missing; migrating is a command of its own', full, async () => {
  const database = await emptyDatabase(inject('postgresUrl'));
  const environment = { DATABASE_URL: database.url, DATA_DIR: newFolder(), DATABASE_MIGRATE: 'off', PORT: '0' };
  const missing = /is missing \d+ migration\(s\).*\nRun "vitrine migrate"/s;
  const refusals: [string[], RegExp][] = [
    [['serve'], missing],
    [['migrate', '--check'], missing],
    [['tenant', 'list'], /There is no catalog in the database[.]/],
  ];
  for (const [args, words] of refusals) {
    const refused = run(args, environment);
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toMatch(words);
    expect(refused.output()).not.toContain('    at ');
  }
  const migrated = run(['migrate', '--json'], environment);
  expect(await migrated.ended, migrated.output()).toBe(0);
  expect(JSON.parse(migrated.results()).applied).toEqual(knownMigrations().map(({ name }) => name));
  const again = run(['migrate', '--grant', 'nobody_of_this_name'], environment);
  expect(await again.ended).toBe(1);
  expect(again.output()).toContain('There is no role nobody_of_this_name');
  const started = await start(environment);
  expect(await stop(started)).toBe(0);
  await database.drop();
});

it('a status port that is in use is explained', full, async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = String((server.address() as AddressInfo).port);
  const refused = run(['serve'], { DATA_DIR: newFolder(), METRICS_PORT: port, PORT: '0' });
  expect(await refused.ended).toBe(1);
  expect(refused.output()).toContain(`METRICS_PORT ${port} on 127.0.0.1 cannot be opened`);
  server.close();
});
