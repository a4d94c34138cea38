import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { cloneDatabase, onDatabase } from '../support/database.ts';

const migration = join(packageRoot, 'prisma', 'migrations', '20261123160000_analyzer_names', 'migration.sql');
const origin = { analyzer: 'builtin', version: '1', milliseconds: 1 };
const [navy, bw] = [{ name: 'navy', hex: '#000080', percent: 60 }, { isBlackAndWhite: true }];
const line = { text: 'NEWS', lines: [], turned: 0 };
const said = { labels: { en: '"source": "colours"' }, confidence: 1 };

/** What version 0.2 stored for a picture, and what is read now. */
const former = {
  text: { ...origin, result: line },
  likeness: origin,
  colours: { ...origin, result: { ...bw, colours: [navy] } },
  concepts: { ...origin, result: [{ ...said, source: 'colours' }] },
  faces: { ...origin, result: [] },
};
const renamed = {
  ocr: { ...origin, result: line },
  localFeatures: origin,
  colors: { ...origin, result: { ...bw, dominant: [navy] } },
  concepts: { ...origin, result: [{ ...said, source: 'colors' }] },
  faces: { ...origin, result: [] },
};

let database: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  database = await cloneDatabase(inject('postgresUrl'));
});
afterAll(() => database.drop());

it('stored analyses of pictures, videos and frames keep their results under the names of today', async () => {
  await onDatabase(database.url, async (client) => {
    // Without their records, which do not matter here.
    await client.query(`SET session_replication_role = replica`);
    const frames = JSON.stringify([
      { timeSecs: 1, facts: former },
      { timeSecs: 2, facts: {} },
    ]);
    await client.query(
      `INSERT INTO image_analysis (row_id, tenant_id, checksum, signature, facts) VALUES (1, 1, '', 's', $1)`,
      [former],
    );
    await client.query(
      `INSERT INTO video_analysis (row_id, tenant_id, reading, signature, facts, frames)
       VALUES (1, 1, gen_random_uuid(), 's', $1, $2), (2, 1, gen_random_uuid(), 's', '{}', '[]')`,
      [former, frames],
    );
    await client.query(
      `INSERT INTO operation_analysis_error (operation_id, position, tenant_id, ref, analyzer, code, message)
       VALUES (1, 0, 1, 'a', 'text', 'failed', ''), (1, 1, 1, 'b', NULL, 'failed', ''), (1, 2, 1, 'c', 'faces', 'failed', '')`,
    );
    const sql = readFileSync(migration, 'utf8');
    for (let times = 0; times < 2; times += 1) await client.query(sql);
    const rows = async (text: string) => (await client.query({ text, rowMode: 'array' })).rows;
    expect(await rows('SELECT facts FROM image_analysis')).toEqual([[renamed]]);
    expect(await rows('SELECT facts, frames FROM video_analysis ORDER BY row_id')).toEqual([
      [
        renamed,
        [
          { timeSecs: 1, facts: renamed },
          { timeSecs: 2, facts: {} },
        ],
      ],
      [{}, []],
    ]);
    expect(await rows('SELECT analyzer FROM operation_analysis_error ORDER BY position')).toEqual([
      ['ocr'],
      [null],
      ['faces'],
    ]);
  });
});
