import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lockableFieldsOf } from '../../../src/catalog/index.ts';
import { allAttached, allRecords } from '../../history/support.ts';
import { openWorld } from '../../support/world.ts';
import type { Client, World } from '../../support/world.ts';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await openWorld();
  await world.picture('a.png', { color: 'teal', width: 120, height: 80 });
  await world.picture('b.png', { color: 'teal', width: 60, height: 40 });
});
afterAll(() => world.close());
beforeEach(async () => {
  client = await world.client();
});

const create = (...records: object[]) =>
  client.write(
    'POST',
    '/imgs',
    records.map((record) => ({ src_path: 'a.png', ...record })),
  );
const merge = (into: string, ids: readonly string[], query = '') =>
  client.write('POST', `/duplicates/merge${query}`, { into, ids });
const read = async (id: string, fields: readonly string[]) =>
  (await client.rest('GET', `/imgs/${id}?${fields.map((name) => `fields=${name}`).join('&')}`)).body;
const existing = async (): Promise<string[]> => {
  const { body } = await client.rest('GET', '/imgs?fields=image_id&limit=500');
  return body.results.map(({ image_id: id }: { image_id: string }) => id).toSorted();
};

describe('merging duplicates', () => {
  it('fills fields that are empty from the others in their order, unites lists, and deletes the others', async () => {
    await create(
      { id: 'kept', title: 'Harbor', caption: '', keywords: ['boat'], nsfw: null },
      {
        id: 'second',
        src_path: 'b.png',
        title: 'Port',
        caption: 'Boats at dawn',
        keywords: ['sea', 'boat'],
        nsfw: false,
      },
      { id: 'third', caption: 'Another', city: 'Bilbao', date: '1931-07', categories: ['Travel'], nsfw: true },
      { id: 'other', title: 'Untouched' },
    );
    expect(await merge('kept', ['second', 'third'])).toMatchObject({
      method: 'upd',
      num_total: 2,
      num_good: 2,
      errors: [],
    });
    const fields = ['title', 'caption', 'keywords', 'categories', 'city', 'date', 'nsfw', 'src_path', 'width'];
    expect(await read('kept', fields)).toEqual({
      title: 'Harbor',
      caption: 'Boats at dawn',
      keywords: ['boat', 'sea'],
      categories: ['Travel'],
      city: 'Bilbao',
      date: '1931-07',
      nsfw: false,
      src_path: 'a.png',
      width: 120,
    });
    expect(await existing()).toEqual(['kept', 'other']);
    const found = await client.rest('GET', '/imgs?fields=image_id&q=date:1931');
    expect(found.body.results).toEqual([{ image_id: 'kept' }]);
  });

  it('takes over every field that can be written but the source and the locks', async () => {
    const value = (name: string, type: string) =>
      type === 'list' ? [name] : type === 'boolean' ? false : type === 'date' ? '1999' : `a ${name}`;
    const values = Object.fromEntries(lockableFieldsOf.image.map(({ name, type }) => [name, value(name, type)]));
    await create({ id: 'kept' }, { id: 'full', src_path: 'b.png', ...values, locked_fields: ['title'] });
    await merge('kept', ['full']);
    const names = [...Object.keys(values), 'src_path', 'locked_fields'];
    expect(await read('kept', names)).toEqual({ ...values, src_path: 'a.png', locked_fields: null });
  });

  it('leaves locked fields of the kept image as they are', async () => {
    await create(
      { id: 'kept', keywords: ['boat'], locked_fields: ['caption', 'keywords'] },
      { id: 'second', caption: 'Boats', keywords: ['sea'], city: 'Bilbao' },
    );
    await merge('kept', ['second']);
    expect(await read('kept', ['caption', 'keywords', 'city'])).toEqual({
      caption: null,
      keywords: ['boat'],
      city: 'Bilbao',
    });
  });

  it('is undone as a whole: fields, deleted images, their verdicts, flags and groups', async () => {
    await client.write('POST', '/imgs?on_duplicate=flag', [
      { id: 'first', src_path: 'a.png', title: 'First' },
      { id: 'second', src_path: 'a.png', caption: 'Second', keywords: ['sea'] },
      { id: 'third', src_path: 'a.png' },
    ]);
    await client.write('POST', '/duplicates');
    await client.rest('PUT', '/verdicts/first/second', { verdict: 'same' });
    await client.rest('PUT', '/verdicts/second/third', { verdict: 'variant' });
    const hanging = ['pair_verdict', 'duplicate_group', 'duplicate_member', 'image_fingerprint', 'image_details'];
    const [records, hung] = [await allRecords(world), await allAttached(world, hanging)];
    const { operation_id: id } = await merge('second', ['first', 'third']);
    expect((await client.rest('GET', '/duplicates')).body.count).toBe(0);
    expect(await read('second', ['title', 'duplicate_of'])).toEqual({ title: 'First', duplicate_of: null });
    const undone = await client.write('POST', `/ops/${id}/undo`);
    expect(undone).toMatchObject({ num_good: 3, num_bad: 0 });
    expect([await allRecords(world), await allAttached(world, hanging)]).toEqual([records, hung]);
    await client.write('POST', `/ops/${undone.operation_id}/undo`);
    expect(await existing()).toEqual(['second']);
  });

  it('lists in its changes what was taken over and what was deleted; a dry run lists the same and does nothing', async () => {
    await create({ id: 'kept' }, { id: 'second', caption: 'Boats', keywords: ['sea'] });
    const dry = await merge('kept', ['second'], '?dry_run=true');
    expect(await existing()).toEqual(['kept', 'second']);
    const changesOf = async ({ operation_id: id }: { operation_id: number }) =>
      (await client.rest('GET', `/ops/${id}/changes`)).body.results;
    const expected = await changesOf(dry);
    expect(expected).toMatchObject([
      {
        ref: 'kept',
        kind: 'changed',
        fields: [
          { field: 'caption', before: null, after: 'Boats' },
          { field: 'keywords', before: null, after: ['sea'] },
        ],
      },
      { ref: 'second', kind: 'deleted' },
    ]);
    expect(await changesOf(await merge('kept', ['second']))).toEqual(expected);
  });

  it('deletes nothing whose image to keep is gone, and nothing at all where a strict one names a missing image', async () => {
    await create({ id: 'kept' }, { id: 'second', caption: 'Boats' });
    expect(await merge('gone', ['second'])).toMatchObject({
      num_good: 0,
      errors: [{ ref: 'second', code: 'not_found', field: 'into' }],
    });
    const nor = expect.stringContaining("no image has this id, nor the id 'gone', into which");
    expect(await merge('gone', ['missing'])).toMatchObject({ errors: [{ ref: 'missing', msg: nor }] });
    expect(await merge('kept', ['second', 'missing'], '?strict=true')).toMatchObject({ num_good: 0, num_bad: 2 });
    expect(await existing()).toEqual(['kept', 'second']);
    expect(await merge('kept', ['missing', 'second'])).toMatchObject({
      num_good: 1,
      errors: [{ ref: 'missing', code: 'not_found', field: 'id' }],
    });
    expect(await read('kept', ['caption'])).toEqual({ caption: 'Boats' });
  });

  it('does not delete an image whose list does not fit', async () => {
    const many = (prefix: string) => Array.from({ length: 600 }, (_, n) => `${prefix}${n}`);
    await create(
      { id: 'kept', keywords: many('a') },
      { id: 'long', keywords: many('b'), caption: 'Long' },
      { id: 'short', keywords: ['sea'] },
    );
    expect(await merge('kept', ['long', 'short'])).toMatchObject({
      num_good: 1,
      errors: [{ ref: 'long', code: 'invalid_field', field: 'keywords' }],
    });
    expect(await existing()).toEqual(['kept', 'long']);
    expect(await read('kept', ['caption'])).toEqual({ caption: null });
  });

  it('merges more images than are stored at once', async () => {
    const others = Array.from({ length: 430 }, (_, n) => ({
      id: `d${String(n).padStart(3, '0')}`,
      keywords: [`k${n}`],
    }));
    await create({ id: 'kept' }, ...others);
    const ids = others.map(({ id }) => id);
    const merged = await merge('kept', ids);
    expect(merged).toMatchObject({ num_total: 430, num_good: 430 });
    expect((await read('kept', ['keywords'])).keywords).toEqual(ids.map((_, n) => `k${n}`));
    expect(await client.write('POST', `/ops/${merged.operation_id}/undo`)).toMatchObject({ num_good: 431 });
    expect(await existing()).toHaveLength(431);
  });

  it('refuses to merge an image into itself, and nothing into one', async () => {
    await create({ id: 'kept' });
    const refused = await client.rest('POST', '/duplicates/merge', { into: 'kept', ids: ['kept'] });
    expect([refused.status, refused.body.detail]).toEqual([422, expect.anything()]);
    expect((await client.rest('POST', '/duplicates/merge', { into: 'kept', ids: [] })).status).toBe(422);
    expect(await existing()).toEqual(['kept']);
  });

  it('deletes no image that was changed since it was read, and none at all if the kept one was', async () => {
    await create({ id: 'kept' }, { id: 'second', caption: 'Boats' }, { id: 'third', city: 'Bilbao' });
    const tagOf = async (id: string) => ({
      id,
      version: (await client.rest('GET', `/imgs/${id}`)).headers.get('etag'),
    });
    const versions = [await tagOf('kept'), await tagOf('second'), await tagOf('third')];
    const body = { into: 'kept', ids: ['second', 'third'], versions };
    await client.write('PATCH', '/imgs/second', { title: 'Harbor' });
    expect(await client.write('POST', '/duplicates/merge', { ...body, ids: ['second', 'third'] })).toMatchObject({
      num_good: 1,
      errors: [{ ref: 'second', code: 'precondition_failed', field: 'id' }],
    });
    expect(await existing()).toEqual(['kept', 'second']);
    const now = [versions[0], await tagOf('second')];
    expect(await client.write('POST', '/duplicates/merge', { ...body, ids: ['second'], versions: now })).toMatchObject({
      num_good: 0,
      errors: [{ ref: 'second', code: 'precondition_failed', field: 'into' }],
    });
    expect(await existing()).toEqual(['kept', 'second']);
  });

  it('counts what it has taken over itself as no change of the image to keep', async () => {
    const others = Array.from({ length: 430 }, (_, n) => ({ id: `e${n}`, keywords: [`k${n}`] }));
    await create({ id: 'kept' }, ...others);
    const versions = [{ id: 'kept', version: (await client.rest('GET', '/imgs/kept')).headers.get('etag') }];
    const ids = others.map(({ id }) => id);
    expect(await client.write('POST', '/duplicates/merge', { into: 'kept', ids, versions })).toMatchObject({
      num_good: 430,
    });
  });

  it('refuses versions of other images, and two of one', async () => {
    await create({ id: 'kept' }, { id: 'second' });
    const merging = (versions: object[]) =>
      client.rest('POST', '/duplicates/merge', { into: 'kept', ids: ['second'], versions });
    expect((await merging([{ id: 'third', version: '1-1' }])).status).toBe(422);
    expect(
      (
        await merging([
          { id: 'kept', version: '1-1' },
          { id: 'kept', version: '1-2' },
        ])
      ).status,
    ).toBe(422);
    expect(await existing()).toEqual(['kept', 'second']);
  });

  it('is another write for an Idempotency-Key if another image is kept', async () => {
    await create({ id: 'kept' }, { id: 'second' }, { id: 'third' });
    const merging = (into: string) =>
      client.rest('POST', '/duplicates/merge?wait=true', { into, ids: ['third'] }, { 'Idempotency-Key': 'merge-1' });
    expect((await merging('kept')).status).toBe(200);
    expect((await merging('second')).body).toMatchObject({ code: 'idempotency_key_reused' });
  });

  it('takes a value over as if the caller had written it, even one that an analysis has found', async () => {
    await create({ id: 'kept', title: 'Harbor' }, { id: 'second', caption: 'Boats' });
    await world.backing.database.pool.query(
      `UPDATE image SET provenance = '{"caption": {"by": "captions", "version": "1"}}' WHERE image_id = 'second'`,
    );
    await merge('kept', ['second']);
    const { data } = await client.graphql('{ image(id: "kept") { caption provenance { field } } }');
    expect(data.image).toEqual({ caption: 'Boats', provenance: [] });
  });
});
