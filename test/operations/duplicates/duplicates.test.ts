import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { addHashed, flipped, hashOf } from '../../similarity/hashed.ts';
import type { Hashed } from '../../similarity/hashed.ts';
import { withWorld } from '../../support/shared-world.ts';
import type { Answer, Client, SharedWorld } from '../../support/world.ts';
import { finished, send, tenantIdOf, until } from '../support.ts';

let world: SharedWorld;
let client: Client;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
});

const [cat, dog] = [hashOf('cat'), hashOf('dog')];
const pictures: readonly Hashed[] = [
  { id: 'cat', hash: cat },
  { id: 'dog', hash: dog, country: 'fr' },
  { id: 'cat-near', hash: flipped(cat, 6) },
  { id: 'cat-same', hash: flipped(cat, 25, 100), country: 'fr' },
  { id: 'dog-same', hash: flipped(dog, 30) },
  { id: 'plain', hash: cat, quality: 20, file: 'plain' },
  { id: 'plain-copy', hash: hashOf('other'), quality: 20, file: 'plain' },
  { id: 'alone', hash: hashOf('alone') },
];

beforeEach(async () => {
  client = await world.client();
  await addHashed(world, client, pictures);
});

type Group = Readonly<{ members: readonly { image_id: string }[] }>;
const membersOf = ({ members }: Group) => members.map(({ image_id: id }) => id);
const list = async (query = '', by = client): Promise<Answer['body']> =>
  (await by.rest('GET', `/duplicates${query}`)).body;
const groups = async (query = ''): Promise<string[][]> => (await list(query)).results.map(membersOf);
const find = (query = '') => client.write('POST', `/duplicates${query}`);

const bySame = [
  ['cat', 'cat-near', 'cat-same'],
  ['dog', 'dog-same'],
  ['plain', 'plain-copy'],
];

describe('a search for duplicates', () => {
  it('is an operation that finds the groups of a whole catalog', async () => {
    expect(await find()).toMatchObject({ num_total: 8, num_good: 8, num_bad: 0, is_finished: true, all_good: true });
    const { search, results, count } = await list('?fields=width');
    expect([results.map(membersOf), count]).toEqual([bySame, 3]);
    expect(search).toMatchObject({
      formula: '',
      tier: 'same',
      distance: 31,
      num_images: 8,
      num_groups: 3,
      num_grouped: 7,
    });
    const file = { format: 'jpeg', byte_size: 1, image: { width: 10 } };
    expect(results[0]).toEqual({
      number: 1,
      size: 3,
      is_decided: false,
      members: [
        { image_id: 'cat', is_first: true, distance: 0, ...file },
        { image_id: 'cat-near', is_first: false, distance: 6, ...file },
        { image_id: 'cat-same', is_first: false, distance: 25, ...file },
      ],
    });
  });

  it('looks through what a formula finds, as surely as it is asked to', async () => {
    await find('?tier=near');
    expect(await groups()).toEqual([
      ['cat', 'cat-near'],
      ['plain', 'plain-copy'],
    ]);
    expect(await find('?q=country:fr%20OR%20id:cat')).toMatchObject({ num_total: 3, num_good: 3 });
    expect(await groups()).toEqual([['cat', 'cat-same']]);
    await find('?q=i==cat');
    expect(await groups()).toEqual([['cat-near', 'cat-same']]);
    expect(await groups('?tier=near')).toHaveLength(2);
    expect((await find('?q=id:nobody')).num_total).toBe(0);
    expect(await list()).toMatchObject({ search: { num_images: 0, num_groups: 0 }, results: [], count: 0 });
  });

  it('is read in pages, counted, by size, image and formula', async () => {
    const { operation_id: id } = await find();
    await find('?q=id:nobody');
    const of = `?op_id=${id}`;
    expect(await groups(`${of}&limit=1&page=2`)).toEqual([['dog', 'dog-same']]);
    expect((await list(`${of}&limit=1`)).count).toBe(3);
    expect(await groups(`${of}&min_size=3`)).toEqual([bySame[0]]);
    expect(await groups(`${of}&max_size=2`)).toEqual(bySame.slice(1));
    expect(await groups(`${of}&image_id=dog-same`)).toEqual([bySame[1]]);
    expect(await list(`${of}&q=country:fr`)).toMatchObject({ count: 2 });
    expect(await groups(`${of}&q=country:fr&image_id=plain`)).toEqual([]);
    expect((await list(`${of}&members=1`)).results.map(membersOf)).toEqual([['cat'], ['dog'], ['plain']]);
    const { data } = await client.graphql(
      `{ duplicates(operationId: ${id}, imageId: "cat") { results { members(page: 2, limit: 2) { imageId distance } } } }`,
    );
    expect(data.duplicates.results).toEqual([{ members: [{ imageId: 'cat-same', distance: 25 }] }]);
  });

  it('says which groups are decided: those whose every image has a verdict with another of them', async () => {
    await find();
    const judge = (first: string, second: string) =>
      client.rest('PUT', `/verdicts/${first}/${second}`, { verdict: 'variant' });
    await judge('dog', 'dog-same');
    await judge('plain', 'alone');
    await judge('cat', 'cat-same');
    expect(await groups('?decided=true')).toEqual([bySame[1]]);
    expect(await groups('?decided=false')).toEqual([bySame[0], bySame[2]]);
    await judge('cat-near', 'cat-same');
    expect(await list('?decided=false')).toMatchObject({ count: 1, search: { num_groups: 3 } });
    expect((await list()).results.map((group: { is_decided: boolean }) => group.is_decided)).toEqual([
      true,
      true,
      false,
    ]);
    const { data } = await client.graphql('{ duplicates { results { verdicts { firstId secondId verdict } } } }');
    const [cats, dogs] = [
      [
        { firstId: 'cat', secondId: 'cat-same', verdict: 'variant' },
        { firstId: 'cat-near', secondId: 'cat-same', verdict: 'variant' },
      ],
      [{ firstId: 'dog', secondId: 'dog-same', verdict: 'variant' }],
    ];
    expect(data.duplicates.results).toEqual([{ verdicts: cats }, { verdicts: dogs }, { verdicts: [] }]);
  });

  it('honors what people said, and gives every verdict its due in the next search', async () => {
    for (const [first, second, verdict] of [
      ['cat', 'cat-near', 'different'],
      ['dog', 'dog-same', 'variant'],
      ['alone', 'dog', 'same'],
    ]) {
      await client.rest('PUT', `/verdicts/${first}/${second}`, { verdict });
    }
    await find();
    expect(await groups()).toEqual([
      ['cat', 'cat-same'],
      ['dog', 'alone'],
      ['plain', 'plain-copy'],
    ]);
  });

  it('forgets images that are deleted or get another file, and groups of which one is left', async () => {
    await find();
    await client.write('DELETE', '/imgs/dog');
    const other = await world.picture('another.png', { color: 'green' });
    await client.write('PATCH', '/imgs/cat', { src_path: other });
    expect((await list()).results).toMatchObject([
      { number: 1, size: 2, members: [{ image_id: 'cat-near', is_first: true }, { image_id: 'cat-same' }] },
      { number: 3, size: 2 },
    ]);
  });

  it('lets the writes of the tenant go on, and takes over from a process that died', async () => {
    const { pool } = world.backing.database;
    const tenantId = await tenantIdOf(world, client);
    const id = await send(client, 'POST', '/duplicates');
    await finished(client, id);
    await pool.query('DELETE FROM duplicate_search WHERE operation_id = $1', [id]);
    await pool.query(
      `INSERT INTO operation_chunk (operation_id, number, tenant_id, first_position, elements, applied_at)
       VALUES ($1, 0, $2, 0, $3, now())`,
      [
        id,
        tenantId,
        JSON.stringify([
          { id: 'duplicates', values: { q: '', lang: 'ml', tier: 'same', mayVerify: false, timeZone: null } },
        ]),
      ],
    );
    await pool.query(
      `INSERT INTO operation_analysis (operation_id, number, tenant_id, positions, refs, begun_by, trying)
       VALUES ($1, 0, $2, '{}', '{}', $3, 0)`,
      [id, tenantId, randomUUID()],
    );
    await pool.query(`UPDATE operation SET state = 'analyzing', finished_at = NULL, num_good = 0 WHERE id = $1`, [id]);
    expect((await client.write('PATCH', '/imgs/alone', { title: 'new' })).num_good).toBe(1);
    expect(await finished(client, id)).toMatchObject({ num_good: 8, num_bad: 0 });
    expect(await groups(`?op_id=${id}`)).toEqual(bySame);
  });

  it('is given up after three processes have died over it, and says so', async () => {
    const { pool } = world.backing.database;
    const tenantId = await tenantIdOf(world, client);
    const { operation_id: id } = await find();
    await pool.query(
      `INSERT INTO operation_analysis (operation_id, number, tenant_id, positions, refs, begun_by, trying, deaths)
       VALUES ($1, 0, $2, '{}', '{}', $3, 0, '{"0": 2}')`,
      [id, tenantId, randomUUID()],
    );
    await pool.query(`UPDATE operation SET state = 'analyzing', finished_at = NULL, num_good = 0 WHERE id = $1`, [id]);
    const ended = await finished(client, id);
    expect(ended).toMatchObject({ num_bad: 1, all_good: false, errors: [{ code: 'internal', ref: 'duplicates' }] });
  });

  it('is aborted while it runs, and leaves nothing', async () => {
    const { pool } = world.backing.database;
    const holder = await pool.connect();
    await holder.query('BEGIN; LOCK TABLE image_details'); // Where it reads what its hashes leave in doubt.
    try {
      const id = await send(client, 'POST', '/duplicates');
      const waiting = `SELECT count(*)::int AS count FROM pg_locks WHERE relation = 'image_details'::regclass AND NOT granted`;
      await expect.poll(async () => (await pool.query(waiting)).rows, { timeout: 20_000 }).toEqual([{ count: 1 }]);
      await until(client, id, { is_started: true, is_finished: false, num_total: 8 });
      expect((await client.rest('DELETE', `/ops/${id}`)).body).toMatchObject({ is_aborted: true, is_finished: true });
      await holder.query('ROLLBACK');
      await (await world.client()).write('POST', '/duplicates'); // One at a time: now the first has ended.
      expect((await client.rest('GET', `/duplicates?op_id=${id}`)).status).toBe(404);
      expect(await list()).toEqual({ search: null, results: [], count: 0 });
    } finally {
      holder.release(true);
    }
  });

  it('says where a formula is wrong, and what is no tier', async () => {
    const { status, body } = await client.rest('POST', '/duplicates?q=contry:es');
    expect([status, body.detail[0].type]).toEqual([422, 'formula.unknown_field']);
    expect((await client.rest('POST', '/duplicates?tier=alike')).status).toBe(422);
  });

  it('is sent again under its name without being made again', async () => {
    const again = () => client.rest('POST', '/duplicates', undefined, { 'Idempotency-Key': 'weekly' });
    expect((await again()).body.operation_id).toBe((await again()).body.operation_id);
  });

  it('is asked for by those who may, and unknown to other tenants', async () => {
    const { operation_id: id } = await find();
    const { body: me } = await client.rest('GET', '/me');
    const viewer = await world.client({ tenant: me.tenant, role: 'viewer' });
    expect((await viewer.rest('POST', '/duplicates')).status).toBe(403);
    expect((await list('', viewer)).count).toBe(3);
    const stranger = await world.client();
    expect((await stranger.rest('GET', `/duplicates?op_id=${id}`)).status).toBe(404);
    expect(await list('', stranger)).toEqual({ search: null, results: [], count: 0 });
  });
});
