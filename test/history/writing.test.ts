import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { historyColumnsOf } from '../../src/catalog/history/functions.ts';
import { removeExpired } from '../../src/operations/index.ts';
import { setTenant } from '../../src/tenants/index.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { changesOf } from './support.ts';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await openWorld();
  client = await world.client();
  await world.picture('a.png');
  await world.picture('b.png', { color: 'tomato' });
});
afterAll(() => world.close());

const query = (text: string, values: readonly unknown[] = []) => world.backing.database.pool.query(text, [...values]);

describe('a write', () => {
  it('keeps what it replaces of each record, with its operation and key, and nothing twice', async () => {
    const made = await client.write('POST', '/imgs/one', { src_path: 'a.png', title: 'Sea', keywords: ['x', 'y'] });
    const patched = await client.write('PATCH', '/imgs/one', { title: 'Lake', keywords: ['x'], city: 'Bilbao' });
    const kept = await changesOf(world, 'one');
    expect(kept).toMatchObject([
      { action: 'created', operation_id: made.operation_id, before: { image_id: 'one' } },
      { action: 'changed', operation_id: patched.operation_id },
    ]);
    expect(kept[1]?.before).toEqual({ title: 'Sea', keywords: ['x', 'y'], city: null });
    expect(kept[1]?.api_key_id).toEqual(expect.any(Number));
  });

  it('that changes nothing keeps nothing, and its element is listed as unchanged', async () => {
    await client.write('POST', '/imgs/same', { src_path: 'a.png', title: 'Sea' });
    const again = await client.write('PATCH', '/imgs', [
      { id: 'same', title: 'Sea' },
      { id: 'none', title: 'Sea' },
      { id: 'one', title: 'Pond' },
    ]);
    expect(again).toMatchObject({ num_good: 2, num_bad: 1 });
    expect(await changesOf(world, 'same')).toHaveLength(1);
    const { rows } = await query('SELECT position, ref FROM operation_unchanged WHERE operation_id = $1', [
      again.operation_id,
    ]);
    expect(rows).toEqual([{ position: 0, ref: 'same' }]);
  });

  it('of another file keeps the facts of the former one', async () => {
    await client.write('POST', '/imgs/file', { src_path: 'a.png' });
    await client.write('PATCH', '/imgs/file', { src_path: 'b.png' });
    const [, changed] = await changesOf(world, 'file');
    expect(changed?.before).toMatchObject({ src_path: 'a.png', checksum: expect.stringMatching(/^\\x/) });
    expect(changed?.before).not.toHaveProperty('width');
  });

  it('that deletes keeps the whole record and what hung on it', async () => {
    await client.write('POST', '/imgs', [
      { id: 'gone', src_path: 'a.png', title: 'Bay', date: '1900-05' },
      { id: 'left', src_path: 'b.png' },
    ]);
    await client.rest('PUT', '/verdicts/gone/left', { verdict: 'variant' });
    const deleted = await client.write('DELETE', '/imgs/gone');
    const last = (await changesOf(world, 'gone')).at(-1);
    expect(last).toMatchObject({
      action: 'deleted',
      before: { image_id: 'gone', title: 'Bay', date: '1900-05', date_start: '1900-05-01', width: 40, lang: 'es' },
    });
    expect(Object.keys(last?.before ?? {})).not.toEqual(expect.arrayContaining(['words']));
    const { rows } = await query('SELECT kind, content FROM record_attachment WHERE operation_id = $1', [
      deleted.operation_id,
    ]);
    expect(rows).toMatchObject([
      { kind: 'pair_verdict', content: { verdict: 'variant' } },
      { kind: 'pair_verdict', content: { verdict: 'variant' } },
    ]);
  });

  it('that is rolled back as a whole keeps nothing', async () => {
    const strict = await client.write('PATCH', '/imgs?strict=true', [
      { id: 'same', title: 'Other' },
      { id: 'none', title: 'Other' },
    ]);
    const { rowCount } = await query('SELECT FROM image_change WHERE operation_id = $1', [strict.operation_id]);
    expect(rowCount).toBe(0);
  });
});

describe('the history', () => {
  it.each(['image', 'video'] as const)('keeps every column of a table (%s) but the derived ones', async (table) => {
    const { rows } = await query(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
      [table],
    );
    const others = ['row_id', 'tenant_id', `${table}_id`, 'created_at', 'updated_at', 'provenance'];
    const derived = ['terms', 'words', 'stems'];
    expect(rows.map(({ name }) => name).toSorted()).toEqual(
      [...historyColumnsOf[table], ...others, ...derived].toSorted(),
    );
  });

  it('is removed after the days that the service or the tenant keeps it', async () => {
    const own = await world.client({ tenant: 'short' });
    await own.write('POST', '/imgs/short', { src_path: 'a.png' });
    await client.write('POST', '/imgs/long', { src_path: 'a.png' });
    await setTenant(world.backing.database, 'short', ['history_days=3']);
    const age = (id: string, days: number) =>
      query(`UPDATE image_change SET at = now() - make_interval(days => $2) WHERE before ->> 'image_id' = $1`, [
        id,
        days,
      ]);
    await age('short', 4);
    await age('long', 4);
    expect(await removeExpired(world.backing.database)).toMatchObject({ image_change: 1 });
    expect([await changesOf(world, 'short'), await changesOf(world, 'long')]).toMatchObject([[], [{}]]);
    expect(await removeExpired(world.backing.database, 4)).toMatchObject({ image_change: 1 });
    expect(await changesOf(world, 'long')).toEqual([]);
  });

  it('goes with its tenant', async () => {
    const own = await world.client({ tenant: 'leaving' });
    await own.write('POST', '/imgs/leaving', { src_path: 'a.png' });
    await own.write('DELETE', '/imgs/leaving');
    await query(`DELETE FROM tenant WHERE name = 'leaving'`);
    expect(await changesOf(world, 'leaving')).toEqual([]);
  });
});
