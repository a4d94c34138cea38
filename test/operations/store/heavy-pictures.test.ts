import { setMaxListeners } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heavyPng, plain } from '../../support/hostile-pictures.ts';
import { analyzerOf } from '../../support/analyzers.ts';
import { openWorld } from '../../support/world.ts';
import type { Client, World } from '../../support/world.ts';
import { finished, operation, send, until } from '../support.ts';

let world: World;
let quiet: Client;

beforeAll(async () => {
  world = await openWorld({ analyses: true, imageAnalyzer: analyzerOf() });
  quiet = await world.client();
  await world.picture('p.png');
  writeFileSync(join(world.media, 'bomb.png'), heavyPng(8_000));
});
afterAll(() => world.close());

/** Forty pictures of 64 megapixels that take half a gigabyte each, of a tenant of its own. */
async function attack(): Promise<{ attacker: Client; id: number }> {
  const attacker = await world.client();
  const elements = Array.from({ length: 40 }, (_, i) => ({ id: `b${i}`, src_path: 'bomb.png' }));
  const id = await send(attacker, 'POST', '/imgs', elements);
  await until(attacker, id, { is_started: true });
  return { attacker, id };
}

async function stop({ attacker, id }: { attacker: Client; id: number }): Promise<void> {
  expect((await operation(attacker, id)).is_finished).toBe(false);
  await attacker.rest('DELETE', `/ops/${id}`);
  expect(await finished(attacker, id)).toMatchObject({ is_aborted: true });
}

async function post(
  client: Client,
  path: string,
  image: Buffer,
  fields: Record<string, string> = {},
  signal: AbortSignal | null = null,
) {
  const body = new FormData();
  body.append('image', new Blob([new Uint8Array(image)]), 'a');
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  const answer = await fetch(`${world.url}${path}`, {
    method: 'POST',
    body,
    headers: { 'API-Key': client.key },
    signal,
  });
  return { status: answer.status, body: await answer.json() };
}

describe('while another tenant stores forty pictures that are costly to decode', () => {
  it('a small picture is stored and analyzed', async () => {
    const attacked = await attack();
    const record = await quiet.write('POST', '/imgs/small', { src_path: 'p.png' });
    expect(record).toMatchObject({ is_finished: true, num_good: 1, num_bad: 0 });
    await stop(attacked);
  });

  it('a picture is tagged, and kept to search by', async () => {
    const attacked = await attack();
    const small = await plain('jpeg');
    expect(await post(quiet, '/tag/image', small, { colors: 'true' })).toMatchObject({ status: 200 });
    expect(await post(quiet, '/query_imgs', small)).toMatchObject({ status: 200 });
    await stop(attacked);
  });
});

describe('while another tenant has forty pictures tagged that are costly to decode', () => {
  it('a picture is tagged, and kept to search by, before more than a few of them', async () => {
    const attacker = await world.client();
    const bomb = heavyPng(8_000);
    const leaving = new AbortController();
    setMaxListeners(0, leaving.signal);
    let done = 0;
    const bombs = Array.from({ length: 40 }, async () => {
      await post(attacker, '/tag/image', bomb, { colors: 'true' }, leaving.signal);
      done += 1;
    });
    const small = await plain('jpeg');
    expect(await post(quiet, '/tag/image', small, { colors: 'true' })).toMatchObject({ status: 200 });
    expect(await post(quiet, '/query_imgs', await plain('png'))).toMatchObject({ status: 200 });
    expect(done).toBeLessThan(10);
    leaving.abort();
    await Promise.allSettled(bombs);
  });
});
