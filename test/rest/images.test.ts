import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

let world: World;
let client: Client;

beforeAll(async () => {
  world = await openWorld();
  client = await world.client();
  await world.picture('a.png', { width: 60, height: 40 });
  await world.picture('b.png', { width: 20, height: 80 });
});
afterAll(() => world.close());

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
    const fields = '?fields=image_id&fields=title&fields=keywords&fields=width&fields=height&fields=src_path';
    const read = await client.rest('GET', `/imgs/one${fields}`);
    expect(read.body).toEqual({
      image_id: 'one',
      title: 'First',
      keywords: ['x', 'y'],
      width: 60,
      height: 40,
      src_path: 'a.png',
    });

    await client.write('PATCH', '/imgs/one', { title: null, city: 'Vigo' });
    const patched = await client.rest('GET', '/imgs/one?fields=title&fields=city&fields=keywords&fields=width');
    expect(patched.body).toEqual({ title: null, city: 'Vigo', keywords: ['x', 'y'], width: 60 });

    const replaced = await client.rest('PUT', '/imgs/one?wait=true', { src_path: 'b.png', headline: 'New' });
    expect(replaced.status).toBe(200);
    const after = await client.rest(
      'GET',
      '/imgs/one?fields=headline&fields=city&fields=keywords&fields=width&fields=height',
    );
    expect(after.body).toEqual({ headline: 'New', city: null, keywords: null, width: 20, height: 80 });

    expect((await client.rest('DELETE', '/imgs/one?wait=true')).status).toBe(200);
    const gone = await client.rest('GET', '/imgs/one');
    expect([gone.status, gone.body]).toEqual([404, { detail: 'Image not found' }]);
  });
});
