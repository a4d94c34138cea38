import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defaultImageFields, imageFields, imageWriteFields, schemaName } from '../../rest/endpoints/contract.ts';
import { corpusFolder, noCorpus, readCatalog, readManifest } from '../support/corpus.ts';
import { openWorld } from '../support/world.ts';
import type { Answer, Client, World } from '../support/world.ts';

let world: World;
let client: Client;
let web: Server;
/** A picture of 33 × 22 on the web. */
let address: string;

beforeAll(async () => {
  world = await openWorld({ sourceAllow: '127.0.0.0/8' });
  await world.picture('a.png', { width: 60, height: 40 });
  await world.picture('b.png', { width: 20, height: 80 });
  const create = { width: 33, height: 22, channels: 3, background: 'olive' } as const;
  const bytes = await sharp({ create }).webp().toBuffer();
  web = createServer((_request, response) => response.end(bytes));
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(web.address() as AddressInfo).port}/picture`;
});
afterAll(async () => {
  await world.close();
  await new Promise((resolve) => web.close(resolve));
});
beforeEach(async () => {
  client = await world.client();
});

const all = imageFields.map((name) => `fields=${name}`).join('&');

/** The record with these fields, or with all. */
async function read(id: string, ...fields: string[]): Promise<Answer['body']> {
  const query = fields.length === 0 ? all : fields.map((name) => `fields=${name}`).join('&');
  const answer = await client.rest('GET', `/imgs/${encodeURIComponent(id)}?${query}`);
  expect(answer.status).toBe(200);
  return answer.body;
}

/** A value for every field of a write body but the source. */
const full = {
  url_img_watermark: 'https://example.org/w.jpg',
  url_img_thumbnail: 'https://example.org/t.jpg',
  title: 'Título',
  headline: 'Заголовок',
  caption: 'Legend "with" \\ and\nnew line',
  alt_text: '🌁 fog',
  ai_generated: false,
  model_release: true,
  property_release: false,
  nsfw: false,
  status: 'published',
  date: '2024-02-29',
  location: 'Cliff',
  city: 'Vigo',
  country: 'es',
  event: 'Regatta',
  author: 'Ana',
  provider: '42',
  shot: 'wide',
  scene: 'sea',
  technique: 'photo',
  medium: 'digital',
  keywords: ['b', 'a'],
  categories: ['sport'],
  collections: [],
};
const empty = Object.fromEntries(Object.keys(full).map((name) => [name, null]));

describe('a single image', () => {
  it('is created, read, patched, replaced and deleted', async () => {
    const created = await client.rest('POST', '/imgs/one?wait=true', {
      src_path: 'a.png',
      title: 'First',
      keywords: ['x', 'y', 'x'],
    });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      method: 'add',
      resource: 'image',
      num_total: 1,
      num_good: 1,
      num_bad: 0,
      all_good: true,
    });
    expect(await read('one', 'image_id', 'title', 'keywords', 'width', 'height', 'src_path')).toEqual({
      image_id: 'one',
      title: 'First',
      keywords: ['x', 'y'],
      width: 60,
      height: 40,
      src_path: 'a.png',
    });

    await client.write('PATCH', '/imgs/one', { title: null, city: 'Vigo' });
    const patched = await read('one', 'title', 'city', 'keywords', 'width');
    expect(patched).toEqual({ title: null, city: 'Vigo', keywords: ['x', 'y'], width: 60 });

    const replaced = await client.rest('PUT', '/imgs/one?wait=true', { src_path: 'b.png', headline: 'New' });
    expect(replaced.status).toBe(200);
    const after = await read('one', 'headline', 'city', 'keywords', 'width', 'height');
    expect(after).toEqual({ headline: 'New', city: null, keywords: null, width: 20, height: 80 });

    expect((await client.rest('DELETE', '/imgs/one?wait=true')).status).toBe(200);
    const gone = await client.rest('GET', '/imgs/one');
    expect([gone.status, gone.body]).toEqual([404, { detail: 'Image not found' }]);
  });

  it('keeps every field of the contract as it was sent', async () => {
    expect(Object.keys({ src: '', src_path: '', ...full }).toSorted()).toEqual(
      imageWriteFields
        .map(({ name }) => name)
        .filter((name) => imageFields.includes(name))
        .toSorted(),
    );
    await client.write('POST', '/imgs/one', { src_path: 'a.png', ...full });
    const facts = { image_id: 'one', src: null, src_path: 'a.png', width: 60, height: 40, n_faces: null };
    expect(await read('one')).toEqual({ ...full, ...facts });
  });

  it('is read with nine fields when none are asked for', async () => {
    await client.write('POST', '/imgs/one', { src_path: 'a.png' });
    const { body } = await client.rest('GET', '/imgs/one');
    expect(Object.keys(body).toSorted()).toEqual([...defaultImageFields].toSorted());
  });

  it('is read with exactly the fields that are asked for, each once', async () => {
    await client.write('POST', '/imgs/one', { src_path: 'a.png', title: 'T' });
    expect(await read('one', 'title', 'image_id', 'title')).toEqual({ title: 'T', image_id: 'one' });
  });

  it.each(['a b', 'é', '100%', 'a,b;c=1', '"', "'; --", '🌁', '..x', 'x'.repeat(255), '🌁'.repeat(255), 'imgs', '%41'])(
    'may have the id %s',
    async (id) => {
      const path = `/imgs/${encodeURIComponent(id)}`;
      expect(await client.write('POST', path, { src_path: 'a.png' })).toMatchObject({ num_good: 1, errors: [] });
      expect(await read(id, 'image_id')).toEqual({ image_id: id });
      expect(await client.write('DELETE', path)).toMatchObject({ num_good: 1 });
    },
  );

  it.each(['missing', 'a%00b', '%00', '%ED%A0%80', 'x'.repeat(300)])(
    'that is not there answers 404: %s',
    async (id) => {
      const answer = await client.rest('GET', `/imgs/${id}`);
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Image not found' }]);
    },
  );
});

describe('PATCH', () => {
  it('keeps what is absent', async () => {
    await client.write('POST', '/imgs/one', { src_path: 'a.png', ...full });
    const before = await read('one');
    await client.write('PATCH', '/imgs/one', {});
    expect(await read('one')).toEqual(before);
    await client.write('PATCH', '/imgs/one', { city: 'Lugo' });
    expect(await read('one')).toEqual({ ...before, city: 'Lugo' });
  });

  it('clears what is null', async () => {
    await client.write('POST', '/imgs/one', { src_path: 'a.png', ...full });
    const before = await read('one');
    await client.write('PATCH', '/imgs/one', empty);
    expect(await read('one')).toEqual({ ...before, ...empty });
  });

  it('keeps an empty text and an empty list, which are not null', async () => {
    await client.write('POST', '/imgs/one', { src_path: 'a.png', ...full });
    await client.write('PATCH', '/imgs/one', { title: '', keywords: [] });
    expect(await read('one', 'title', 'keywords')).toEqual({ title: '', keywords: [] });
  });
});

describe('PUT', () => {
  it('clears what is absent', async () => {
    await client.write('POST', '/imgs/one', { src_path: 'a.png', ...full });
    await client.write('PUT', '/imgs/one', { src_path: 'b.png' });
    const facts = { image_id: 'one', src: null, src_path: 'b.png', width: 20, height: 80, n_faces: null };
    expect(await read('one')).toEqual({ ...empty, ...facts });
  });

  it('leaves the record as it was when its element fails', async () => {
    await client.write('POST', '/imgs/one', { src_path: 'a.png', ...full });
    const before = await read('one');
    const { errors } = await client.write('PUT', '/imgs/one', { title: 'without a source' });
    expect(errors).toMatchObject([{ id: 0, code: 'source_missing' }]);
    expect(await read('one')).toEqual(before);
  });

  it('creates with upsert=true only', async () => {
    const refused = await client.rest('PUT', '/imgs/one?wait=true', { src_path: 'a.png' });
    expect([refused.status, refused.body.errors]).toMatchObject([200, [{ code: 'not_found' }]]);
    const created = await client.rest('PUT', '/imgs/one?wait=true&upsert=true', { src_path: 'a.png', title: 'new' });
    expect([created.status, created.body.num_good]).toEqual([201, 1]);
    const replaced = await client.rest('PUT', '/imgs/one?wait=true&upsert=true', { src_path: 'b.png' });
    expect([replaced.status, replaced.body.num_good]).toEqual([200, 1]);
    expect(await read('one', 'title', 'width')).toEqual({ title: null, width: 20 });
  });
});

describe('the source', () => {
  it('may be an address, and then a path is null', async () => {
    expect(await client.write('POST', '/imgs/one', { src: address })).toMatchObject({ num_good: 1, errors: [] });
    const record = await read('one', 'src', 'src_path', 'width', 'height');
    expect(record).toEqual({ src: address, src_path: null, width: 33, height: 22 });
  });

  it('is one or the other: PATCH of one clears the other and reads the facts again', async () => {
    await client.write('POST', '/imgs/one', { src_path: 'a.png', title: 'T' });
    await client.write('PATCH', '/imgs/one', { src: address });
    const fields = ['src', 'src_path', 'width', 'height', 'title'];
    expect(await read('one', ...fields)).toEqual({ src: address, src_path: null, width: 33, height: 22, title: 'T' });
    await client.write('PATCH', '/imgs/one', { src_path: 'b.png', src: null });
    expect(await read('one', ...fields)).toEqual({ src: null, src_path: 'b.png', width: 20, height: 80, title: 'T' });
  });

  const both = { src: 'http://example.org/x.jpg', src_path: 'a.png' };
  it.each([
    ['POST', '/imgs/new', both, 'source_conflict'],
    ['PUT', '/imgs/one', both, 'source_conflict'],
    ['PATCH', '/imgs/one', both, 'source_conflict'],
    ['POST', '/imgs/new', {}, 'source_missing'],
    ['POST', '/imgs/new', { src: null, src_path: null }, 'source_missing'],
    ['POST', '/imgs/new', { src: '', src_path: '' }, 'source_missing'],
    ['PUT', '/imgs/one', { title: 'T' }, 'source_missing'],
    ['POST', '/imgs/new', { src: 'not an address' }, 'invalid_field'],
    ['POST', '/imgs/new', { src: 'ftp://example.org/x.jpg' }, 'source_forbidden'],
    ['POST', '/imgs/new', { src: 'http://10.0.0.1/x.jpg' }, 'source_forbidden'],
    ['POST', '/imgs/new', { src: 'http://169.254.169.254/latest' }, 'source_forbidden'],
    ['POST', '/imgs/new', { src_path: '../../etc/hostname' }, 'source_forbidden'],
    ['POST', '/imgs/new', { src_path: '/etc/hostname' }, 'source_forbidden'],
    ['POST', '/imgs/new', { src_path: 'missing.png' }, 'source_unreachable'],
    ['PATCH', '/imgs/one', { src_path: 'missing.png' }, 'source_unreachable'],
  ])('of %s %s with %j fails as %s and changes nothing', async (method, path, body, code) => {
    await client.write('POST', '/imgs/one', { src_path: 'a.png', title: 'T' });
    const before = await read('one');
    const answer = await client.rest(method, `${path}?wait=true`, body);
    expect([answer.status, answer.body.num_bad, answer.body.errors[0].code]).toEqual([200, 1, code]);
    expect(await read('one')).toEqual(before);
    expect((await client.rest('GET', '/imgs/new')).status).toBe(404);
  });

  it('may be missing in a PATCH', async () => {
    await client.write('POST', '/imgs/one', { src_path: 'a.png' });
    expect(await client.write('PATCH', '/imgs/one', { title: 'T' })).toMatchObject({ num_good: 1 });
    expect(await read('one', 'src_path', 'width', 'title')).toEqual({ src_path: 'a.png', width: 60, title: 'T' });
  });
});

describe('a date', () => {
  it.each(['2024-02-29', '2023-12-31', '1865-01-01', '0001-01-01', '9999-12-31', '2024', '2024-02'])(
    'may be %s and is kept as given',
    async (date) => {
      expect(await client.write('POST', '/imgs/one', { src_path: 'a.png', date })).toMatchObject({ num_good: 1 });
      expect(await read('one', 'date')).toEqual({ date });
    },
  );

  it.each([
    '2023-02-30',
    '2023-02-29',
    '2023-13-01',
    '2023-00-10',
    '2023-04-31',
    '0000',
    '23-01-01',
    '2023-1-1',
    '20230101',
    '2023-01-01T00:00:00Z',
    ' 2023',
    '２０２３',
    'today',
  ])('that is none fails its element: %s', async (date) => {
    const record = await client.write('POST', '/imgs/one', { src_path: 'a.png', date });
    const msg = `invalid_field: date '${date}' is not YYYY-MM-DD, YYYY-MM or YYYY (id 'one')`;
    expect(record.errors).toEqual([{ id: 0, ref: 'one', code: 'invalid_field', field: 'date', msg }]);
  });

  it.each(['2023\0', '\ud800', `${'x'.repeat(39)}🌁`])('of any text whatever is reported: %j', async (date) => {
    const record = await client.write('POST', '/imgs/one', { src_path: 'a.png', date });
    expect(record).toMatchObject({ num_bad: 1, errors: [{ id: 0, code: 'invalid_field', field: 'date' }] });
  });
});

describe('lists', () => {
  it('keep their order and drop exact repeats, the later ones', async () => {
    const keywords = ['sea', 'Sea', 'cliff', 'sea', ' sea', 'cliff', ''];
    await client.write('POST', '/imgs/one', { src_path: 'a.png', keywords });
    expect(await read('one', 'keywords')).toEqual({ keywords: ['sea', 'Sea', 'cliff', ' sea', ''] });
  });

  it('may have 1 000 elements of 200 characters, repeats not counted', async () => {
    const keywords = Array.from({ length: 1000 }, (_, i) => String(1000 + i) + '🌁'.repeat(196));
    await client.write('POST', '/imgs/one', { src_path: 'a.png', keywords: [...keywords, ...keywords] });
    expect(await read('one', 'keywords')).toEqual({ keywords });
  });
});

describe('the language of a write', () => {
  const language = async () => {
    const sql = 'SELECT lang FROM image JOIN tenant t ON t.id = tenant_id WHERE t.name = $1';
    const { body } = await client.rest('GET', '/me');
    const { rows } = await world.backing.database.pool.query<{ lang: string }>(sql, [body.tenant]);
    return rows.map(({ lang }) => lang);
  };

  it('is stored with the record: Spanish when none is named, and a PATCH keeps it', async () => {
    await client.write('POST', '/imgs/one', { src_path: 'a.png' });
    expect(await language()).toEqual(['es']);
    await client.write('PATCH', '/imgs/one?lang=ru', { title: 'Т' });
    expect(await language()).toEqual(['ru']);
    await client.write('PATCH', '/imgs/one', { title: 'T' });
    expect(await language()).toEqual(['ru']);
    await client.write('PUT', '/imgs/one?lang=fr', { src_path: 'a.png' });
    expect(await language()).toEqual(['fr']);
    await client.write('PUT', '/imgs/one', { src_path: 'a.png' });
    expect(await language()).toEqual(['es']);
  });
});

describe.skipIf(noCorpus)('the corpus', () => {
  let place: World;
  beforeAll(async () => {
    place = await openWorld({ mediaRoots: [corpusFolder] });
  });
  afterAll(() => place.close());

  it('gives 60 records that read over REST and GraphQL as they were sent, each with the size of its picture', async () => {
    client = await place.client();
    const catalog = readCatalog();
    const record = await client.write('POST', '/imgs', catalog);
    expect(record).toMatchObject({ num_total: 60, num_good: 60, num_bad: 0, all_good: true, errors: [] });
    const { originals, variants } = readManifest();
    // The manifest has the size as stored; a picture that is turned by its EXIF orientation stands upright.
    const sizes = new Map(
      [...originals, ...variants].map(({ file, width, height, transform }) =>
        /^exif_orientation_[5-8]$/.test(transform ?? '')
          ? [file, { width: height, height: width }]
          : [file, { width, height }],
      ),
    );
    const query = `query ($id: ID!) { image(id: $id) { ${imageFields.map((name) => `${name}: ${schemaName(name)}`).join(' ')} } }`;
    for (const { id, ...sent } of catalog) {
      const { width, height } = sizes.get(String(sent['src_path'])) ?? {};
      const expected = Object.fromEntries(imageFields.map((name) => [name, sent[name] ?? null]));
      const stored = await read(String(id));
      expect(stored).toEqual({ ...expected, image_id: id, width, height, n_faces: null });
      expect((await client.graphql(query, { id })).data.image).toEqual(stored);
    }
  });

  /** What becomes of each file that is broken, hostile or unusual: its size, or the code it fails with. */
  const outcomes: Readonly<Record<string, string>> = {
    'truncated.jpg': 'decode_failed',
    'empty.jpg': 'decode_failed',
    'text.jpg': 'unsupported_media',
    'bad-crc.png': 'decode_failed',
    'bomb-8bit.png': 'too_large',
    'bomb-1bit.png': 'too_large',
    'liar-header.png': 'too_large',
    'external-entity.svg': 'unsupported_media',
    'file-reference.svg': 'unsupported_media',
    'entity-expansion.svg': 'unsupported_media',
    'heic-header-only.heic': 'decode_failed',
    'plain.bmp': 'unsupported_media',
  };

  it('has bad files, each of which fails alone or is accepted with its size', async () => {
    client = await place.client();
    const { bad } = readManifest();
    const batch = bad.map(({ file }, i) => ({ id: `b${i}`, src_path: file }));
    const record = await client.write('POST', '/imgs', [...batch, { id: 'good', src_path: 'originals/p02-cat.jpg' }]);
    const codes = new Map<number, string>(
      record.errors.map((error: { id: number; code: string }) => [error.id, error.code]),
    );
    const seen = [];
    for (const [i, { file }] of bad.entries()) {
      const size = codes.has(i) ? { width: 0, height: 0 } : await read(`b${i}`, 'width', 'height');
      seen.push([file, codes.get(i) ?? `accept: ${size.width} x ${size.height}`]);
    }
    const outcomeOf = (file: string) => outcomes[file.replace('bad/', '')];
    expect(seen).toEqual(bad.map(({ file, expected }) => [file, outcomeOf(file) ?? expected]));
    const failing = bad.filter(({ file }) => outcomeOf(file) !== undefined);
    const mayFail = failing.filter(({ expected, also_ok: alsoOk }) =>
      /^reject|\nreject/.test(`${expected}\n${alsoOk}`),
    );
    expect(mayFail).toEqual(failing);
    expect(record).toMatchObject({ num_total: 31, num_good: 31 - failing.length, num_bad: failing.length });
    expect(await read('good', 'width')).toEqual({ width: expect.any(Number) });
  });
});
