import { beforeAll, describe, expect, it } from 'vitest';
import { withWorld } from '../../support/shared-world.ts';
import type { Client, SharedWorld } from '../../support/world.ts';

let world: SharedWorld;
let client: Client;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  await world.picture('p.png', { width: 7, height: 5 });
  await world.picture('q.png', { width: 9, height: 4 });
});

const one = { src_path: 'p.png' };

async function images(): Promise<object[]> {
  const fields = ['image_id', 'title', 'width'].map((name) => `fields=${name}`).join('&');
  return (await client.rest('GET', `/imgs?${fields}&sort_by=image_id&sort_order=asc&limit=10000`)).body.results;
}

const rolledBack = (id: number, ref: string): object => ({
  id,
  ref,
  code: 'strict_rollback',
  field: null,
  msg: `strict_rollback: not stored, because another element failed (id '${ref}')`,
});

describe('a strict batch', () => {
  beforeAll(async () => {
    client = await world.client();
    await client.write('POST', '/imgs', [
      { id: 'x', title: 'X', ...one },
      { id: 'y', title: 'Y', ...one },
    ]);
  });
  const untouched = [
    { image_id: 'x', title: 'X', width: 7 },
    { image_id: 'y', title: 'Y', width: 7 },
  ];

  it('that creates stores nothing when one element fails, and lists every element', async () => {
    const record = await client.write('POST', '/imgs?strict=true', [
      { id: 'a', ...one },
      { id: 'x', ...one },
      { id: 'b', ...one },
      { id: 'c', src_path: 'missing.png' },
    ]);
    expect(record).toMatchObject({ do_strict: true, num_total: 4, num_good: 0, num_bad: 4, all_good: false });
    expect(record.errors).toEqual([
      rolledBack(0, 'a'),
      {
        id: 1,
        ref: 'x',
        code: 'already_exists',
        field: 'id',
        msg: "already_exists: an image with this id already exists (id 'x')",
      },
      rolledBack(2, 'b'),
      {
        id: 3,
        ref: 'c',
        code: 'source_unreachable',
        field: 'src_path',
        msg: "source_unreachable: src_path cannot be read: no such file (id 'c')",
      },
    ]);
    expect(await images()).toEqual(untouched);
  });

  it.each([
    [
      'PUT',
      '/imgs?strict=true',
      [
        { id: 'x', src_path: 'q.png' },
        { id: 'missing', ...one },
      ],
    ],
    [
      'PUT',
      '/imgs?strict=true&upsert=true',
      [
        { id: 'x', src_path: 'q.png' },
        { id: 'new', ...one },
        { id: 'x', ...one },
      ],
    ],
    [
      'PATCH',
      '/imgs?strict=true',
      [
        { id: 'x', title: 'new' },
        { id: 'missing', title: 'new' },
      ],
    ],
    [
      'PATCH',
      '/imgs?strict=true',
      [
        { id: 'x', title: 'new' },
        { id: 'y', date: '2023-02-30' },
      ],
    ],
    ['DELETE', '/imgs?strict=true', [{ id: 'x' }, { id: 'y' }, { id: 'missing' }]],
    ['POST', '/imgs/delete?strict=true', [{ id: 'x' }, { id: 'x' }]],
  ])('by %s %s changes nothing when one element fails', async (method, path, body) => {
    const record = await client.write(method, path, body);
    expect(record).toMatchObject({ num_total: body.length, num_good: 0, num_bad: body.length, all_good: false });
    expect(record.errors[0]).toEqual(rolledBack(0, 'x'));
    expect(await images()).toEqual(untouched);
  });

  it('that fails far behind takes what was stored before it along', async () => {
    const batch = Array.from({ length: 401 }, (_, i) => (i === 400 ? { id: 'x', ...one } : { id: `n${i}`, ...one }));
    const record = await client.write('POST', '/imgs?strict=true', batch);
    expect(record).toMatchObject({ num_total: 401, num_good: 0, num_bad: 401 });
    expect(record.errors.map(({ code }: { code: string }) => code)).toEqual([
      ...Array.from({ length: 400 }, () => 'strict_rollback'),
      'already_exists',
    ]);
    expect(await images()).toEqual(untouched);
  });

  it('without a fault is stored as a whole', async () => {
    client = await world.client();
    const batch = Array.from({ length: 250 }, (_, i) => ({ id: `n${1000 + i}`, ...one }));
    const answer = await client.rest('POST', '/imgs?strict=true&wait=true', batch);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ num_good: 250, num_bad: 0, all_good: true, errors: [] });
    expect(await images()).toHaveLength(250);
  });
});

describe('a field that the contract does not know', () => {
  it('is ignored where the write is not strict', async () => {
    client = await world.client();
    const record = await client.write('POST', '/imgs', [{ id: 'a', ...one, titel: 'A', width: 99, image_id: 'b' }]);
    expect(record).toMatchObject({ num_good: 1, num_bad: 0, errors: [] });
    expect(await images()).toEqual([{ image_id: 'a', title: null, width: 7 }]);
  });

  it.each([
    ['POST', '/imgs/b?strict=true', { ...one, titel: 'B' }],
    ['POST', '/imgs?strict=true', [{ id: 'b', ...one, titel: 'B' }]],
    ['PUT', '/imgs/a?strict=true', { ...one, titel: 'B' }],
    ['PATCH', '/imgs/a?strict=true', { titel: 'B' }],
  ])('fails its element where the write is strict: %s %s', async (method, path, body) => {
    client = await world.client();
    await client.write('POST', '/imgs/a', one);
    const record = await client.write(method, path, body);
    expect(record).toMatchObject({ num_good: 0, num_bad: 1 });
    expect(record.errors).toMatchObject([{ id: 0, code: 'invalid_field', field: 'titel' }]);
    expect(record.errors[0].msg).toContain("invalid_field: unknown field 'titel' (id '");
    expect(await images()).toEqual([{ image_id: 'a', title: null, width: 7 }]);
  });

  it.each(['a\0b', '\ud800', 'x'.repeat(100_000)])('may have any name and is still reported', async (name) => {
    client = await world.client();
    const record = await client.write('POST', '/imgs?strict=true', [{ id: 'a', ...one, [name]: 1 }]);
    expect(record).toMatchObject({ num_good: 0, num_bad: 1, errors: [{ code: 'invalid_field', ref: 'a' }] });
  });
});
