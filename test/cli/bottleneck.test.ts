import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { chunkPictures } from '../../src/doctor/bottleneck.ts';
import { findDatabase } from '../../src/doctor/database.ts';
import { elementsOfChunk } from '../../src/operations/analyze/limits.ts';
import { cloneDatabase, onDatabase } from '../support/database.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;

beforeAll(async () => {
  database = await cloneDatabase(inject('postgresUrl'));
  await run(`INSERT INTO tenant (name) VALUES ('large') ON CONFLICT DO NOTHING`);
});
afterAll(() => database.drop());

const run = (text: string) => onDatabase(database.url, (client) => client.query(text));

const setImages = (count: number) =>
  run(
    `INSERT INTO record_total (tenant_id, resource, count) SELECT id, 'image', ${count} FROM tenant WHERE name = 'large'
     ON CONFLICT (tenant_id, resource) DO UPDATE SET count = EXCLUDED.count`,
  );

async function found(settings: Record<string, string> = {}) {
  const findings = await findDatabase(readConfig({ DATABASE_URL: database.url, WORKERS: '2', ...settings }));
  return findings.find(({ subject }) => subject === 'bottleneck');
}

it('names the part that is nearest to its limit, and what to do as soon as it is near', async () => {
  await setImages(300_000);
  expect(await found()).toEqual({
    subject: 'bottleneck',
    state: 'ok',
    text: 'the next bottleneck is ranking by PostgreSQL, with 300,000 records of a tenant: 60 % of the measured maximum',
  });
  await setImages(450_000);
  expect(await found()).toMatchObject({ state: 'note', remedy: 'Use Meilisearch: MEILI_URL.' });
});

it('follows the settings: with Meilisearch it is memory for similarity, and where that is not needed the next part', async () => {
  await setImages(5_000_000);
  const withEngine = { MEILI_URL: 'http://127.0.0.1:1' };
  expect(await found({ ...withEngine, SIMILARITY: 'memory' })).toMatchObject({
    state: 'note',
    text: expect.stringMatching(/^the next bottleneck is memory for similarity of 5,000,000 images .*: 83 %/),
    remedy: expect.stringContaining('SIMILARITY_MEMORY'),
  });
  expect(await found({ ...withEngine, SIMILARITY: 'database' })).toMatchObject({
    state: 'ok',
    text: expect.stringMatching(/^the next bottleneck is the size of the largest tenant, 5,000,000 records: 50 %/),
  });
});

it('knows how many pictures a chunk of analysis has', () => {
  expect(chunkPictures).toBe(elementsOfChunk);
});

it('names analysis where more pictures wait than the workers analyze in an hour', async () => {
  await setImages(1_000);
  await run(
    `WITH o AS (
       INSERT INTO operation (tenant_id, kind, method, resource, state, num_total, do_wait, do_urgent, do_strict)
       SELECT id, 'images.create', 'add', 'image', 'analyzing', 1, false, false, false FROM tenant WHERE name = 'large'
       RETURNING id, tenant_id)
     INSERT INTO operation_analysis (operation_id, number, tenant_id, rank, positions, refs)
     SELECT o.id, n, o.tenant_id, 1, '{}', '{}' FROM o, generate_series(1, 3600) AS n`,
  );
  expect(await found()).toEqual({
    subject: 'bottleneck',
    state: 'note',
    text: 'the next bottleneck is analysis, for which 28,800 pictures wait: 200 % of the measured maximum',
    remedy: 'Add workers on other machines, or set analysis=off for some tenants.',
  });
  await run(
    `INSERT INTO service_process (id, role, pid, host, session)
     SELECT gen_random_uuid(), 'worker', n, 'h', 's' FROM generate_series(1, 4) AS n`,
  );
  expect(await found()).toMatchObject({ state: 'ok', text: expect.stringContaining(': 50 %') });
});
