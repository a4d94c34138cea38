import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Answers } from '../../src/lib/answers.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { startMakingAhead } from '../../src/previews/make-ahead.ts';
import { clipInto } from '../support/clips.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

const kept = (world: World) => {
  const folder = join(world.media, 'previews');
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.\w{4}$/.test(name))
        .map((name) => name.replace(/^.*\//, '').replace(/-[0-9a-f]{32}-/, ' '))
        .toSorted()
    : [];
};

describe('previews that are made ahead', () => {
  let world: World;
  let client: Client;
  beforeAll(async () => {
    world = await openWorld({ environment: { PREVIEWS: 'eager' } });
    client = await world.client({ tenant: 'agency' });
  });
  afterAll(() => world.close());

  it('are there after storing, at 320 and 1280 pixels, and are those that are shown', async () => {
    await world.picture('wide.png', { width: 2000, height: 1000 });
    await client.write('POST', '/imgs?lang=en', [{ id: 'wide', src_path: 'wide.png' }]);
    await expect.poll(() => kept(world), { timeout: 20_000 }).toEqual(['image 1280.webp', 'image 320.webp']);
    const { data } = await client.graphql('{ image(id: "wide") { preview(width: 1280, format: webp) { url } } }');
    const reply = await fetch(world.url + data.image.preview.url);
    expect(await sharp(await reply.arrayBuffer()).metadata()).toMatchObject({ width: 1280, height: 640 });
    expect(kept(world)).toHaveLength(2);
  });

  it('are made of posters of videos, and of a source that replaces another', async () => {
    const before = kept(world).length;
    await client.write('POST', '/vids?lang=en', [{ id: 'clip', src_path: await clipInto(world.media, 'clip.webm') }]);
    await expect.poll(() => kept(world).length, { timeout: 20_000 }).toBe(before + 2);
    await world.picture('other.png', { width: 700, height: 500, color: 'red' });
    await client.write('PATCH', '/imgs/wide', { src_path: 'other.png' });
    await expect.poll(() => kept(world).length, { timeout: 20_000 }).toBe(before + 4);
  });

  it('are not made of what was not stored', async () => {
    const before = kept(world);
    await client.write('PATCH', '/imgs/wide', { title: 'Wide' });
    await client.write('POST', '/imgs?lang=en&dry_run=true', [{ id: 'dry', src_path: 'wide.png' }]);
    await sleep(500);
    expect(kept(world)).toEqual(before);
  });

  it('wait while requests are answered', async () => {
    const answers = new Answers();
    const made: bigint[] = [];
    const { database } = world.backing;
    const ahead = startMakingAhead({
      database,
      answers,
      logger: createLogger('fatal'),
      makeAhead: async ({ shown: { rowId } }) => void made.push(rowId),
    });
    const { id: tenantId } = await database.prisma.tenant.findUniqueOrThrow({ where: { name: 'agency' } });
    answers.begin();
    ahead.add({ tenantId, resource: 'image', ids: ['wide'] });
    await sleep(400);
    expect(made).toEqual([]);
    answers.end();
    await expect.poll(() => made.length).toBe(1);
    await ahead.close();
  });

  it('are made after others could not, each under a signal of its own', async () => {
    const signals: AbortSignal[] = [];
    const { database } = world.backing;
    const ahead = startMakingAhead({
      database,
      answers: new Answers(),
      logger: createLogger('fatal'),
      makeAhead: async ({ signal }) => {
        if (signals.push(signal) > 1) await once(signal, 'abort');
      },
    });
    const { id: tenantId } = await database.prisma.tenant.findUniqueOrThrow({ where: { name: 'agency' } });
    const impossible = Array.from({ length: 20_000 }, () => '\0');
    ahead.add({ tenantId, resource: 'image', ids: impossible });
    await sleep(500);
    for (let k = 0; k < 2; k += 1) ahead.add({ tenantId, resource: 'image', ids: ['wide'] });
    await expect.poll(() => signals.length).toBe(2);
    expect(signals[0]).not.toBe(signals[1]);
    await ahead.close();
  });
});

it('nothing is made ahead without PREVIEWS=eager', async () => {
  const world = await openWorld();
  const client = await world.client();
  await world.picture('a.png');
  await client.write('POST', '/imgs?lang=en', [{ id: 'a', src_path: 'a.png' }]);
  await sleep(500);
  expect(kept(world)).toEqual([]);
  await world.close();
});
