import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analyzerOf } from '../../support/analyzers.ts';
import { openWorld } from '../../support/world.ts';
import type { Client, World } from '../../support/world.ts';
import { full } from '../../support/effort.ts';

let world: World;
let client: Client;

beforeAll(async () => {
  world = await openWorld({ imageAnalyzer: analyzerOf(['shape', 'pdq', 'localFeatures']), analyses: true });
  client = await world.client({ tenant: 'agency' });
  const scene = await picture(7);
  writeFileSync(join(world.media, 'scene.png'), await scene.png().toBuffer());
  writeFileSync(join(world.media, 'copy.jpg'), await scene.jpeg({ quality: 60 }).toBuffer());
  writeFileSync(join(world.media, 'other.png'), await (await picture(23)).png().toBuffer());
});
afterAll(() => world.close());

/** Soft shapes that are the same for the same seed. */
async function picture(seed: number): Promise<Sharp> {
  let state = seed;
  const next = () => (state = (state * 1103515245 + 12345) % 2 ** 31) % 256;
  const raw = { width: 9, height: 9, channels: 3 } as const;
  const pixels = Buffer.from(Array.from({ length: 9 * 9 * 3 }, next));
  const large = await sharp(pixels, { raw }).resize(320, 320, { kernel: 'cubic' }).png().toBuffer();
  return sharp(large);
}

/** Events of a formula as soon as there are so many, or none come. */
async function eventsOf(name: string, count: number): Promise<string[]> {
  for (let left = 100; ; left -= 1) {
    const { rows } = await world.backing.database.pool.query<{ text: string }>(
      `SELECT replace(kind, 'record.', '') || ' ' || ref AS text FROM notification WHERE formula = $1 ORDER BY number`,
      [name],
    );
    if (rows.length >= count || left === 0) return rows.map(({ text }) => text);
    await sleep(50);
  }
}

async function watch(name: string, formula: string): Promise<void> {
  const { errors } = await client.graphql(
    'mutation ($name: String!, $formula: String!) { saveFormula(name: $name, formula: $formula, watching: true) { name } }',
    { name, formula },
  );
  expect(errors).toBeUndefined();
}

describe('a formula that watches for a picture', () => {
  it('reports a copy when it is analyzed, of no other picture, and when the copy is deleted', async () => {
    await client.write('POST', '/imgs', [{ id: 'ours', src_path: 'scene.png' }]);
    await watch('copies', 'i==id:ours');
    await watch('spanish copies', 'i==id:ours country:Spain');
    await client.write('POST', '/imgs', [
      { id: 'theirs', src_path: 'copy.jpg' },
      { id: 'unlike', src_path: 'other.png', country: 'Spain' },
    ]);
    expect(await eventsOf('copies', 1)).toEqual(['matched theirs']);
    await client.write('PATCH', '/imgs/theirs', { country: 'Spain' });
    expect(await eventsOf('spanish copies', 1)).toEqual(['matched theirs']);
    await client.write('DELETE', '/imgs/theirs');
    expect(await eventsOf('copies', 2)).toEqual(['matched theirs', 'unmatched theirs']);
  });
});

describe('a formula with relative dates', () => {
  it('reports that time has passed over a record', async () => {
    await watch('fresh', 'created_at:>=-2h');
    const { pool } = world.backing.database;
    // Three hours later: the record, and the moment that dates were evaluated for, are so much older.
    await pool.query(`DO $$ BEGIN
      ALTER TABLE image DISABLE TRIGGER USER;
      UPDATE image SET created_at = created_at - interval '3 hours' WHERE image_id = 'unlike';
      ALTER TABLE image ENABLE TRIGGER USER;
      UPDATE standing_tenant SET clock_at = clock_at - interval '3 hours';
    END $$`);
    expect(await eventsOf('fresh', 1)).toEqual(['unmatched unlike']);
  });
});

describe('a killed connection', () => {
  /** A connection that ends while a request is sent on it is answered by 503, and the client tries again. */
  async function writeAgain(elements: readonly object[]): Promise<void> {
    for (let left = 20; left > 0; left -= 1) {
      const { status } = await client.rest('PATCH', '/imgs?wait=true', elements);
      if (status === 200) return;
      expect([202, 503]).toContain(status);
      await sleep(100);
    }
    throw new Error('the write was refused twenty times');
  }

  it('loses no event and repeats none', full, async () => {
    const { pool } = world.backing.database;
    await watch('kept', 'country:Chile');
    const ids = Array.from({ length: 40 }, (_, k) => `k${k}`);
    await client.write(
      'POST',
      '/imgs',
      ids.map((id) => ({ id, src_path: 'other.png' })),
    );
    let isOver = false;
    const killing = (async () => {
      while (!isOver) {
        await pool
          .query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%standing%'`,
          )
          .catch(() => {});
        await sleep(15);
      }
    })();
    for (const country of ['Chile', 'Peru', 'Chile', 'Peru', 'Chile']) {
      await writeAgain(ids.map((id) => ({ id, country })));
      await sleep(60);
    }
    isOver = true;
    await killing;
    for (let left = 200; left > 0; left -= 1) {
      if ((await pool.query('SELECT FROM standing_outbox LIMIT 1')).rowCount === 0) break;
      await sleep(50);
    }
    const { rows } = await pool.query<{ ref: string; kinds: string[] }>(
      `SELECT ref, array_agg(kind ORDER BY number) AS kinds FROM notification WHERE formula = 'kept' GROUP BY ref`,
    );
    expect(rows.map(({ ref }) => ref).toSorted()).toEqual(ids.toSorted());
    // Each record begins to match, and each event is the opposite of the one before; in the end it matches.
    const isAlternating = ({ kinds }: { kinds: string[] }) =>
      kinds.length % 2 === 1 &&
      kinds.every((kind, k) => kind === (k % 2 === 0 ? 'record.matched' : 'record.unmatched'));
    expect(rows.filter((row) => !isAlternating(row))).toEqual([]);
  });
});
