import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setTenant } from '../../../src/tenants/index.ts';
import { corpusFolder, noCorpus } from '../../support/corpus.ts';
import { analyzerOf } from '../../support/analyzers.ts';
import { openWorld } from '../../support/world.ts';
import type { Client, World } from '../../support/world.ts';
import { tenantIdOf } from '../support.ts';

const files = {
  'cat.jpg': 'originals/p02-cat.jpg',
  'cat-small.jpg': 'variants/p02-cat/resize_50.jpg',
  'cat-again.jpg': 'variants/p02-cat/recompress_q30.jpg',
  'cat-crop.jpg': 'variants/p02-cat/crop_25.jpg',
  'dogs.jpg': 'originals/p07-dogs.jpg',
};

describe.skipIf(noCorpus)('a picture that is there already', () => {
  let world: World;
  let client: Client;
  const pool = () => world.backing.database.pool;

  beforeAll(async () => {
    world = await openWorld({ imageAnalyzer: analyzerOf(['pdq', 'localFeatures']) });
    for (const [name, file] of Object.entries(files)) copyFileSync(join(corpusFolder, file), join(world.media, name));
    await world.picture('red.png', { color: 'red' });
    copyFileSync(join(world.media, 'red.png'), join(world.media, 'red-again.png'));
    await world.picture('blue.png', { color: 'blue' });
  }, 60_000);
  afterAll(() => world.close());
  beforeEach(async () => {
    client = await world.client();
  });

  const write = (rule: string | null, sources: Record<string, string>, method = 'POST', more = '') =>
    client.write(
      method,
      `/imgs?${rule === null ? '' : `on_duplicate=${rule}`}${more}`,
      Object.entries(sources).map(([id, src_path]) => ({ id, src_path })),
    );
  const flags = async (q = '') => {
    const path = `/imgs?fields=image_id&fields=duplicate_of&sort_by=image_id&sort_order=asc&q=${encodeURIComponent(q)}`;
    const { body } = await client.rest('GET', path);
    type Row = { image_id: string; duplicate_of: string | null };
    return Object.fromEntries(body.results.map((row: Row) => [row.image_id, row.duplicate_of]));
  };

  it('is kept unless someone says otherwise', async () => {
    await write(null, { a: 'cat.jpg', b: 'cat.jpg' });
    expect(await flags()).toEqual({ a: null, b: null });
  });

  it('is flagged with the id of the other, one of the same batch too, and found by the flag', async () => {
    await write('flag', { a: 'cat.jpg', red: 'red.png' });
    const sources = {
      b: 'cat-small.jpg',
      c: 'cat-crop.jpg',
      dogs: 'dogs.jpg',
      d: 'dogs.jpg',
      again: 'red-again.png',
      blue: 'blue.png',
    };
    expect(await write('flag', sources)).toMatchObject({ num_good: 6, num_bad: 0 });
    const all = { a: null, again: 'red', b: 'a', blue: null, c: null, d: 'dogs', dogs: null, red: null };
    expect(await flags()).toEqual(all);
    expect(Object.keys(await flags('has:duplicate_of'))).toEqual(['again', 'b', 'd']);
    expect(Object.keys(await flags('duplicate_of:a'))).toEqual(['b']);
    expect((await client.rest('GET', '/imgs/b?fields=duplicate_of')).body).toEqual({ duplicate_of: 'a' });
    await client.write('DELETE', '/imgs/a');
    expect(await flags('id:b')).toEqual({ b: null });
  });

  it('is rejected as an element, which names the other', async () => {
    await write(null, { a: 'cat.jpg' });
    await write('keep', { first: 'red.png' });
    // Stored without a hash: it is known by its file alone, until it is analyzed.
    expect((await write('reject', { same: 'red-again.png', a2: 'cat.jpg' })).errors).toMatchObject([
      { ref: 'same', code: 'duplicate_image', field: 'src' },
      { ref: 'a2', msg: "duplicate_image: image 'a' shows the same picture (the same file) (id 'a2')" },
    ]);
    const { num_good: good, errors } = await write('reject', { b: 'cat-small.jpg', c: 'cat-again.jpg', d: 'dogs.jpg' });
    expect([good, errors]).toMatchObject([2, [{ ref: 'c', code: 'duplicate_image' }]]);
    expect(errors[0].msg).toMatch(/^duplicate_image: image 'b' shows the same picture \(i==, \d+ of 256 bits differ\)/);
    expect(Object.keys(await flags())).toEqual(['a', 'b', 'd', 'first']);
  });

  it('undoes a strict batch', async () => {
    const { num_good: good, errors } = await write(
      'reject',
      { a: 'cat.jpg', b: 'cat-small.jpg' },
      'POST',
      '&strict=true',
    );
    const codes = errors.map(({ code }: { code: string }) => code);
    expect([good, codes]).toEqual([0, ['strict_rollback', 'duplicate_image']]);
    const { rows } = await pool().query('SELECT FROM image_fingerprint WHERE tenant_id = $1', [
      await tenantIdOf(world, client),
    ]);
    expect(rows).toEqual([]);
  });

  it('may be stored again as itself, and is compared again when its file changes', async () => {
    await write('flag', { a: 'cat.jpg', b: 'cat-small.jpg' });
    expect(await write('reject', { b: 'cat-small.jpg' }, 'PUT')).toMatchObject({ num_good: 1, num_bad: 0 });
    expect(await flags()).toEqual({ a: null, b: null });
    await write('flag', { b: 'cat-small.jpg' }, 'PUT');
    expect(await flags('id:b')).toEqual({ b: 'a' });
    await write('flag', { b: 'dogs.jpg' }, 'PATCH');
    expect(await flags('id:b')).toEqual({ b: null });
    expect((await write('reject', { b: 'cat-again.jpg' }, 'PATCH')).errors).toMatchObject([
      { code: 'duplicate_image' },
    ]);
    expect(await write('reject', { b: 'cat-again.jpg', a: 'cat.jpg' }, 'PUT', '&upsert=true')).toMatchObject({
      num_bad: 1,
    });
  });

  it('is no duplicate any more once a person says that the two are different', async () => {
    await write('flag', { a: 'cat.jpg', b: 'cat-small.jpg' });
    await client.rest('PUT', '/verdicts/a/b', { verdict: 'different' });
    expect(await flags('has:duplicate_of')).toEqual({});
    await write('flag', { b: 'cat-small.jpg' }, 'PUT');
    expect(await flags('has:duplicate_of')).toEqual({});
  });

  it("follows the tenant's rule where a write says none", async () => {
    const { body: me } = await client.rest('GET', '/me');
    await setTenant(world.backing.database, me.tenant, ['on_duplicate=reject']);
    expect(await write(null, { a: 'red.png', b: 'red-again.png' })).toMatchObject({ num_good: 1, num_bad: 1 });
    expect(await write('keep', { b: 'red-again.png' })).toMatchObject({ num_good: 1 });
    const document = `mutation { createImages(images: [{ id: "c", srcPath: "red.png" }], onDuplicate: flag, wait: true) {
      ... on Operation { numGood } } }`;
    expect((await client.graphql(document)).data).toEqual({ createImages: { numGood: 1 } });
    expect(await flags('has:duplicate_of')).toEqual({ c: 'a' });
    await expect(setTenant(world.backing.database, me.tenant, ['on_duplicate=drop'])).rejects.toThrow(
      'on_duplicate=drop: expected keep, flag, reject',
    );
    expect((await client.rest('POST', '/imgs/x?on_duplicate=drop', { src_path: 'red.png' })).status).toBe(422);
  });
});
