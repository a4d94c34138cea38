import { beforeEach, describe, expect, it } from 'vitest';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';
import { sizeOf, full } from '../support/effort.ts';

let world: SharedWorld;
/** A world where nobody applies what is accepted. */
let idle: SharedWorld;
let client: Client;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  idle = await enterWorld({ worker: false });
  await world.picture('p.png', { width: 7, height: 5 });
});
beforeEach(async () => {
  client = await world.client();
});

const one = { src_path: 'p.png' };

async function titles(): Promise<Record<string, string | null>> {
  const { body } = await client.rest('GET', '/imgs?fields=image_id&fields=title&limit=10000');
  return Object.fromEntries(
    body.results.map((image: { image_id: string; title: string }) => [image.image_id, image.title]),
  );
}

describe('a batch', () => {
  it('creates, replaces, patches and deletes', async () => {
    const create = [
      { id: 'a', title: 'A', ...one },
      { id: 'b', title: 'B', ...one },
      { id: 'c', title: 'C', ...one },
    ];
    expect(await client.write('POST', '/imgs', create)).toMatchObject({ method: 'add', num_total: 3, num_good: 3 });
    const patch = [{ id: 'a', title: 'A2' }, { id: 'b' }];
    expect(await client.write('PATCH', '/imgs', patch)).toMatchObject({ method: 'upd', num_total: 2, num_good: 2 });
    expect(await titles()).toEqual({ a: 'A2', b: 'B', c: 'C' });
    const replace = [{ id: 'b', ...one }];
    expect(await client.write('PUT', '/imgs', replace)).toMatchObject({ method: 'upd', num_total: 1, num_good: 1 });
    expect(await titles()).toEqual({ a: 'A2', b: null, c: 'C' });
    const remove = [{ id: 'a' }, { id: 'c' }];
    expect(await client.write('DELETE', '/imgs', remove)).toMatchObject({ method: 'del', num_total: 2, num_good: 2 });
    expect(await titles()).toEqual({ b: null });
  });

  it('is deleted by POST /imgs/delete as well', async () => {
    await client.write('POST', '/imgs', [
      { id: 'a', ...one },
      { id: 'b', ...one },
    ]);
    const record = await client.write('POST', '/imgs/delete', [{ id: 'a' }, { id: 'missing' }]);
    expect(record).toMatchObject({ method: 'del', num_total: 2, num_good: 1, num_bad: 1 });
    expect(record.errors).toMatchObject([{ id: 1, ref: 'missing', code: 'not_found' }]);
    expect(await titles()).toEqual({ b: null });
  });

  it.each([
    ['DELETE', '/imgs'],
    ['POST', '/imgs/delete'],
  ])('to delete by %s %s reports unknown fields, and deletes nothing by them if it is strict', async (method, path) => {
    await client.write('POST', '/imgs', [
      { id: 'a', ...one },
      { id: 'b', ...one },
    ]);
    const both = [{ id: 'a', q: 'city:Rome' }, { id: 'b' }];
    const refused = await client.write(method, `${path}?strict=true`, both);
    expect(refused.errors).toMatchObject([
      { id: 0, code: 'invalid_field', field: 'q' },
      { id: 1, code: 'strict_rollback' },
    ]);
    expect(await titles()).toEqual({ a: null, b: null });
    const { warnings, num_good: deleted } = await client.write(method, path, both);
    expect([deleted, warnings]).toMatchObject([2, [{ code: 'unknown_field', field: 'q', count: 1, position: 0 }]]);
  });

  const known = [{ id: 'known', title: 'new', ...one }];
  const missing = [{ id: 'missing', title: 'new', ...one }];
  it.each([
    ['POST', known, 'already_exists', 'an image with this id already exists'],
    ['PUT', missing, 'not_found', 'no image has this id'],
    ['PATCH', missing, 'not_found', 'no image has this id'],
    ['DELETE', [{ id: 'missing' }], 'not_found', 'no image has this id'],
  ])('by %s of %j fails its element as %s, and the request is accepted', async (method, body, code, text) => {
    await client.write('POST', '/imgs/known', { title: 'old', ...one });
    const { status, body: record } = await client.rest(method, '/imgs?wait=true', body);
    expect([status, record.num_good, record.num_bad, record.all_good]).toEqual([200, 0, 1, false]);
    const ref = body[0]?.id;
    expect(record.errors).toEqual([{ id: 0, msg: `${code}: ${text} (id '${ref}')`, ref, code, field: 'id' }]);
    expect(await titles()).toEqual({ known: 'old' });
  });

  it('of PUT with upsert=true replaces what exists and creates what does not', async () => {
    await client.write('POST', '/imgs/known', { title: 'old', ...one });
    const { status, body } = await client.rest('PUT', '/imgs?wait=true&upsert=true', [...known, ...missing]);
    expect([status, body.method, body.num_good]).toEqual([201, 'upd', 2]);
    expect(await titles()).toEqual({ known: 'new', missing: 'new' });
  });
});

describe('an element that cannot be stored', () => {
  const keywords = (length: number, size = 1) => Array.from({ length }, (_, i) => String(i).padEnd(size, 'x'));
  const faults: [reason: string, element: object, code: string, field: string | null][] = [
    ['an empty id', { id: '', ...one }, 'invalid_field', 'id'],
    ['an id of 256 characters', { id: 'x'.repeat(256), ...one }, 'invalid_field', 'id'],
    ['an id with NUL', { id: 'nul\0', ...one }, 'invalid_field', 'id'],
    ['an id with a control character', { id: 'new\nline', ...one }, 'invalid_field', 'id'],
    ['an id with DEL', { id: '\u007f', ...one }, 'invalid_field', 'id'],
    ['an id with half a pair', { id: 'half\ud83c', ...one }, 'invalid_field', 'id'],
    ['both sources', { id: 'f0', ...one, src: 'https://example.org/a.jpg' }, 'source_conflict', 'src'],
    ['no source', { id: 'f1', title: 'T' }, 'source_missing', 'src'],
    ['a day that is none', { id: 'f2', ...one, date: '2023-02-30' }, 'invalid_field', 'date'],
    ['a text with NUL', { id: 'f3', ...one, title: 'a\0b' }, 'invalid_field', 'title'],
    ['a text with half a pair', { id: 'f4', ...one, caption: 'a\udc00b' }, 'invalid_field', 'caption'],
    ['a list with NUL', { id: 'f5', ...one, keywords: ['ok', '\0'] }, 'invalid_field', 'keywords'],
    ['a text of 10 001 characters', { id: 'f6', ...one, headline: 'x'.repeat(10_001) }, 'invalid_field', 'headline'],
    ['a status of 65 characters', { id: 'f7', ...one, status: 'x'.repeat(65) }, 'invalid_field', 'status'],
    ['1 001 keywords', { id: 'f8', ...one, keywords: keywords(1001) }, 'invalid_field', 'keywords'],
    ['a category of 201 characters', { id: 'f9', ...one, categories: keywords(1, 201) }, 'invalid_field', 'categories'],
    ['a path that leads out', { id: 'g0', src_path: '../../../etc/hostname' }, 'source_forbidden', 'src_path'],
    ['a file that is not there', { id: 'g1', src_path: 'nothing.png' }, 'source_unreachable', 'src_path'],
    ['a folder', { id: 'g2', src_path: '.' }, 'source_forbidden', 'src_path'],
    ['a private address', { id: 'g3', src: 'http://127.0.0.1:9/a.jpg' }, 'source_forbidden', 'src'],
    ['no address', { id: 'g4', src: '//' }, 'invalid_field', 'src'],
  ];

  it('hurts no other, and each is reported with its place, id, code and field', async () => {
    const elements = faults.flatMap(([, element], i) => [element, { id: `good${i}`, title: String(i), ...one }]);
    const record = await client.write('POST', '/imgs', elements);
    const expected = { num_total: 2 * faults.length, num_good: faults.length, num_bad: faults.length, all_good: false };
    expect(record).toMatchObject(expected);
    const reported = record.errors.map((error: { id: number; code: string; field: string }) => [
      faults[error.id / 2]?.[0],
      error.code,
      error.field,
    ]);
    expect(reported).toEqual(faults.map(([reason, , code, field]) => [reason, code, field]));
    for (const error of record.errors) {
      expect(Object.keys(error)).toEqual(['id', 'msg', 'ref', 'code', 'field']);
      expect(error.msg.startsWith(`${error.code}: `) && error.msg.endsWith(` (id '${error.ref}')`)).toBe(true);
    }
    expect(await titles()).toEqual(Object.fromEntries(faults.map((_, i) => [`good${i}`, String(i)])));
  });

  it('is reported with its id as far as that is text', async () => {
    const record = await client.write('POST', '/imgs', [
      { id: 'nul\0', ...one },
      { id: 'half\ud83c', ...one },
    ]);
    expect(record.errors.map(({ ref }: { ref: string }) => ref)).toEqual(['nul\ufffd', 'half\ufffd']);
  });

  it.each([
    ['a text of 10 000 characters', { title: '🌁'.repeat(10_000) }],
    ['a status of 64 characters', { status: '🌁'.repeat(64) }],
    ['1 000 keywords', { keywords: keywords(1000) }],
    ['1 000 keywords and repeats of them', { keywords: [...keywords(1000), ...keywords(1000)] }],
    ['a keyword of 200 characters', { keywords: ['🌁'.repeat(200)] }],
    ['every other control character in a text', { title: '\u0001\t\r\n\u001f\u007f\u0085' }],
  ])('is none with %s', async (_, values) => {
    expect(await client.write('POST', '/imgs', [{ id: 'a', ...one, ...values }])).toMatchObject({
      num_good: 1,
      errors: [],
    });
  });

  it('may stand in any chunk, and positions count through all of them', async () => {
    const bad = new Set([0, 199, 200, 399, 400, 449]);
    const elements = Array.from({ length: 450 }, (_, i) => ({ id: `e${i}`, ...(!bad.has(i) && one) }));
    const record = await client.write('POST', '/imgs', elements);
    expect(record).toMatchObject({ num_total: 450, num_good: 444, num_bad: 6 });
    expect(record.errors.map((error: { id: number; ref: string }) => [error.id, error.ref])).toEqual(
      [...bad].map((position) => [position, `e${position}`]),
    );
  });
});

const size = sizeOf(1_000, 10_000);

describe(`a batch of ${size} elements`, () => {
  it('ends with exact counters, and another tenant sees nothing of it', async () => {
    client = await world.client();
    const other = await world.client();
    // Every tenth names no source, every hundredth repeats the id before it.
    const elements = Array.from({ length: size }, (_, i) =>
      i % 10 === 9 ? { id: `e${i}` } : { id: i % 100 === 50 ? `e${i - 1}` : `e${i}`, ...one },
    );
    const bad = elements.filter(({ id }, i) => i % 10 === 9 || id !== `e${i}`).length;
    const { body } = await client.rest('POST', '/imgs', elements);
    expect((await other.rest('GET', `/ops/${body.operation_id}`)).status).toBe(404);
    const ended = async () => (await client.rest('GET', `/ops/${body.operation_id}`)).body;
    await expect.poll(async () => (await ended()).is_finished, { timeout: 60_000 }).toBe(true);
    const { num_total, num_good, num_bad, all_good, errors } = await ended();
    expect({ num_total, num_good, num_bad, all_good, errors: errors.length }).toEqual({
      num_total: size,
      num_good: size - bad,
      num_bad: bad,
      all_good: false,
      errors: bad,
    });
    expect((await client.rest('GET', '/imgs?limit=1&count=true')).body.count).toBe(size - bad);
    expect((await other.rest('GET', '/imgs?count=true')).body).toEqual({ results: [], count: 0, facets: {} });
    expect((await other.rest('GET', '/ops')).body).toEqual([]);
    expect((await other.rest('GET', '/imgs/e0')).status).toBe(404);
  }, 90_000);
});

describe('the size of a batch', () => {
  beforeEach(async () => {
    client = await idle.client();
  });
  const ids = (count: number) => Array.from({ length: count }, (_, i) => ({ id: String(i) }));

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('of %s may be 10 000 elements in one request', async (method) => {
    const { status, body } = await client.rest(method, '/imgs', ids(10_000));
    expect([status, body.n_total]).toEqual([202, 10_000]);
    expect((await client.rest('GET', `/ops/${body.operation_id}`)).body).toMatchObject({ num_total: 10_000 });
  });

  it.each([
    ['POST', '/imgs'],
    ['PUT', '/imgs'],
    ['PATCH', '/imgs'],
    ['DELETE', '/imgs'],
    ['POST', '/imgs/delete'],
  ])('of %s %s is 1 to 10 000, else 422', async (method, path) => {
    const long = await client.rest(method, path, ids(10_001));
    const context = { field_type: 'List', max_length: 10_000, actual_length: 10_001 };
    const msg = 'List should have at most 10000 items after validation, not 10001';
    expect([long.status, long.body]).toEqual([
      422,
      { detail: [{ type: 'too_long', loc: ['body'], msg, input: null, ctx: context }] },
    ]);
    const short = await client.rest(method, path, []);
    expect([short.status, short.body.detail]).toEqual([
      422,
      [
        {
          type: 'too_short',
          loc: ['body'],
          msg: 'List should have at least 1 item after validation, not 0',
          input: [],
          ctx: { field_type: 'List', min_length: 1, actual_length: 0 },
        },
      ],
    ]);
    expect((await client.rest('GET', '/ops')).body).toEqual([]);
  });

  const limit = 32 * 2 ** 20;
  const padded = (size: number) => '[{"id":"a"}]'.padEnd(size, ' ');

  it('may be 32 MiB of JSON', full, async () => {
    expect((await client.rest('PATCH', '/imgs', padded(limit))).status).toBe(202);
  });

  it('beyond 32 MiB is answered 413 and nothing is accepted', async () => {
    const { status, headers, body } = await client.rest('PATCH', '/imgs', padded(limit + 1));
    expect(status).toBe(413);
    expect(body).toEqual({ detail: 'The body is larger than 32 MiB', code: 'too_large' });
    expect(headers.get('api-version')).toBe('1.0.0');
    expect((await client.rest('GET', '/ops')).body).toEqual([]);
  });
});
