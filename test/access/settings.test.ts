import { describe, expect, it } from 'vitest';
import { describeSettings, setTenant } from '../../src/tenants/index.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';

let world: SharedWorld;
withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  for (const name of ['a', 'b', 'c', 'd']) await world.picture(`${name}.png`);
});

const tenantOf = async (client: Client): Promise<string> => (await client.rest('GET', '/me')).body.tenant;
const set = async (client: Client, ...settings: string[]) =>
  setTenant(world.backing.database, await tenantOf(client), settings);
const images = (...names: string[]) => names.map((id) => ({ id, src_path: `${id}.png` }));

describe('settings of a tenant', () => {
  it('are set by name and described as they can be set again', async () => {
    const client = await world.client();
    const changed = await set(
      client,
      'search_verify=true',
      'max_images=5',
      'rate_read=600/min',
      'rate_tag=off',
      'ai_requests_day=100',
      'ai_cost_day=2.50',
      'caption_style=Short, as Reuters writes',
      'caption_langs=ru, en',
      'caption_words=30',
      'caption_forbidden=terrorist, illegal  alien,terrorist',
    );
    const described = {
      search_verify: true,
      time_zone: 'default',
      max_images: 5,
      max_videos: 'none',
      ai_requests_day: 100,
      ai_cost_day: 2.5,
      caption_style: 'Short, as Reuters writes',
      caption_langs: 'en,ru',
      caption_words: 30,
      caption_forbidden: 'terrorist,illegal alien',
      analysis: 'default',
      ai_fill: false,
      on_duplicate: 'keep',
      duplicate_distances: 'default',
      history_days: 'default',
      rate_read: '600/min',
      rate_write: 'default',
      rate_tag: 'off',
      rate_query_image: 'default',
    };
    expect(describeSettings(changed)).toEqual(described);
    const assignments = Object.entries(described).map(([name, value]) => `${name}=${value}`);
    expect(describeSettings(await set(client, ...assignments))).toEqual(described);
    expect(describeSettings(await set(client, 'analysis=off', 'ai_fill=true'))).toMatchObject({
      analysis: false,
      ai_fill: true,
    });
    expect(describeSettings(await set(client, 'max_images=none'))).toMatchObject({ max_images: 'none' });
  });

  it.each([
    'max_images',
    'max_images=',
    'max_images=-1',
    'max_images=1.5',
    'search_verify=maybe',
    'analysis=maybe',
    'time_zone=+02:00',
    'rate_read=0/s',
    'rate_read=5/year',
    'rate_read=',
    'caption_style=',
    `caption_style=${'x'.repeat(501)}`,
    'caption_style=two\nlines',
    'caption_langs=en,de',
    'caption_words=2',
    'caption_forbidden=a,,b',
    'unknown=1',
    '=1',
    'constructor=1',
  ])('%s is refused, and nothing is set', async (fault) => {
    const client = await world.client();
    await expect(set(client, 'max_images=3', fault)).rejects.toThrow('Nothing was set:');
    expect((await client.rest('GET', '/me')).body.limits.max_images).toBeNull();
  });
});

describe('max_images', () => {
  it('lets a tenant have so many images and fails the elements beyond, each alone', async () => {
    const client = await world.client();
    await set(client, 'max_images=2');
    const record = await client.write('POST', '/imgs', images('a', 'b', 'c', 'd'));
    expect(record).toMatchObject({ num_good: 2, num_bad: 2 });
    expect(record.errors).toMatchObject([
      { id: 2, ref: 'c', code: 'too_large' },
      { id: 3, ref: 'd', code: 'too_large' },
    ]);
    await client.write('DELETE', '/imgs/a');
    expect(await client.write('POST', '/imgs/c', { src_path: 'c.png' })).toMatchObject({ num_good: 1 });
  });

  it('does not count an upsert of what exists, and lets images be changed', async () => {
    const client = await world.client();
    await set(client, 'max_images=2');
    await client.write('POST', '/imgs', images('a', 'b'));
    const record = await client.write('PUT', '/imgs?upsert=true', images('c', 'a', 'b'));
    expect(record).toMatchObject({ num_good: 2, num_bad: 1, errors: [{ ref: 'c', code: 'too_large' }] });
    expect(await client.write('PATCH', '/imgs/a', { title: 'x' })).toMatchObject({ num_good: 1 });
  });

  it('takes a strict operation back as a whole', async () => {
    const client = await world.client();
    await set(client, 'max_images=1');
    const record = await client.write('POST', '/imgs?strict=true', images('a', 'b'));
    expect(record).toMatchObject({ num_good: 0, num_bad: 2 });
    expect((await client.rest('GET', '/imgs?count=true')).body.count).toBe(0);
  });
});
