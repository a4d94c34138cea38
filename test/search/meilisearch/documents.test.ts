import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { Database } from '../../../src/backing/index.ts';
import { readDocuments, readDocumentsAfter } from '../../../src/search/meilisearch/documents.ts';
import { decodeFacet, encodeToken } from '../../../src/search/meilisearch/tokens.ts';
import { openClone } from '../../support/database.ts';
import type { OpenClone } from '../../support/database.ts';
import { runsOf } from '../../support/effort.ts';

let clone: OpenClone;
let database: Database;

beforeAll(async () => {
  clone = await openClone(inject('postgresUrl'));
  database = clone.database;
});
afterAll(() => clone.close());
beforeEach(async () => {
  await database.pool.query('DELETE FROM image; DELETE FROM video');
});

type Values = Readonly<Record<string, unknown>>;

const ofKind = { image: { format: 'png' }, video: { container: 'MP4', fps: 23.976, duration_secs: 1e-7 } };

async function insert(table: 'image' | 'video', values: Values): Promise<number> {
  const row = {
    tenant_id: 1,
    lang: 'en',
    byte_size: 1,
    checksum: '',
    width: 1,
    height: 1,
    ...ofKind[table],
    ...values,
  };
  const names = Object.keys(row);
  const { rows } = await database.pool.query<{ row_id: number }>(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((_, n) => `$${n + 1}`).join(', ')}) RETURNING row_id`,
    Object.values(row),
  );
  return rows[0]?.row_id ?? 0;
}

async function documentsOf(table: 'image' | 'video', ...rowIds: number[]): Promise<Record<string, unknown>[]> {
  const lines = await readDocuments(database, table, rowIds.map(String));
  expect(lines.every(({ json }) => !json.includes('\n'))).toBe(true);
  return lines.map(({ json }) => JSON.parse(json) as Record<string, unknown>);
}

describe('the document of a record', () => {
  it('holds its words, terms and values as they are compared', async () => {
    const rowId = await insert('image', {
      image_id: 'Añil 1',
      width: 3000,
      height: 2000,
      title: 'Sunny Beaches',
      caption: 'Two dogs',
      keywords: ['São Paulo', 'sea'],
      country: 'es',
      location: 'Pier "7"',
      nsfw: false,
      bw: true,
      date: '2020-05',
      date_start: '2020-05-01',
      date_end: '2020-05-31',
      colors: JSON.stringify([{ name: 'red', percent: 20 }, { name: 'red', percent: 35.5 }, { name: 'blue', percent: 1 }]), // prettier-ignore
    });
    const [document] = await documentsOf('image', rowId);
    expect(document).toMatchObject({
      id: rowId,
      tenant: 1,
      key: Buffer.from('Añil 1').toString('hex'),
      tokens: expect.arrayContaining(['w:beaches', 's:beach', '=two', 's:dog', '=sea', '=sao']),
      terms: expect.arrayContaining(['keywords=sao_paulo', 'keywords=sea', 'country=es']), // prettier-ignore
      has: expect.arrayContaining([
        'title',
        'caption',
        'keywords',
        'country',
        'location',
        'nsfw',
        'bw',
        'date',
        'color',
      ]),
      text_a: ['sunny beaches'],
      text_b: ['sao paulo', 'sea'],
      text_c: ['two dogs'],
      f_keywords: [encodeToken('São Paulo'), 'sea'],
      f_country: 'es',
      f_nsfw: 'false',
      f_bw: 'true',
      f_orientation: 'landscape',
      n_width: 3000,
      n_aspect_ratio: 1.5,
      n_keywords_count: 2,
      n_date_from: Date.parse('2020-05-01') / 86_400_000,
      n_date_to: Date.parse('2020-05-31') / 86_400_000,
      color: { red: 55.5, blue: 1 },
    });
    expect(document).not.toHaveProperty('f_city');
    expect((document?.['has'] as string[] | undefined)?.includes('headline')).toBe(false);
  });

  it('holds whatever signs texts are made of', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'É', ' ', '"', '\\', '{', '}', ',', "'", '\n', '\u001f', 'ж', '😀', 'NULL'), minLength: 1, maxLength: 12 }); // prettier-ignore
    let n = 0;
    const property = fc.asyncProperty(text, fc.array(text, { maxLength: 4 }), async (value, keywords) => {
      const values = { image_id: `hostile-${(n += 1)}`, title: value, location: value, event: '{}', keywords }; // prettier-ignore
      const [document] = await documentsOf('image', await insert('image', values));
      const kept = (await database.pool.query<{ location: string; keywords: string[] }>(`SELECT location, keywords FROM image WHERE image_id = 'hostile-${n}'`)).rows[0]; // prettier-ignore
      expect(decodeFacet(String(document?.['f_location']))).toBe(kept?.location);
      expect(decodeFacet(String(document?.['f_event']))).toBe('{}');
      expect(((document?.['f_keywords'] ?? []) as string[]).map(decodeFacet)).toEqual(kept?.keywords ?? []);
    });
    await fc.assert(property, { numRuns: runsOf('documents of Meilisearch') });
  });

  it('says of a video what only videos have', async () => {
    const rowId = await insert('video', { video_id: 'v' });
    const [document] = await documentsOf('video', rowId);
    expect(document).toMatchObject({ n_fps: 23.976, n_duration_secs: 1e-7, terms: ['container=mp4'], tokens: [] });
  });

  it('is read by number, or with all that come after one', async () => {
    const rowIds: number[] = [];
    for (const name of ['a', 'b', 'c']) rowIds.push(await insert('image', { image_id: name }));
    const [first = 0, , third = 0] = rowIds;
    expect((await readDocumentsAfter(database, 'image', first, 10)).map(({ id }) => id)).toEqual(rowIds.slice(1));
    expect((await readDocumentsAfter(database, 'image', 0, 2)).map(({ id }) => id)).toEqual(rowIds.slice(0, 2));
    expect((await readDocuments(database, 'image', [String(third), '999999'])).map(({ id }) => id)).toEqual([third]);
  });
});
