import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analyzerThat } from '../support/analyzers.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

describe('a picture that a busy machine does not analyze in time', () => {
  let world: World;
  let client: Client;
  const urgent: boolean[] = [];

  beforeAll(async () => {
    const error = { code: 'timeout', message: 'took longer than 1 s' } as const;
    const imageAnalyzer = analyzerThat(
      async ({ isUrgent = false }) => {
        urgent.push(isUrgent);
        return { outcomes: { embedding: { analyzer: 'builtin', version: '1', milliseconds: 1, error } } };
      },
      { embedding: '1' },
    );
    world = await openWorld({ imageAnalyzer });
    client = await world.client();
    await client.write('POST', '/imgs/a', { src_path: await world.picture('a.png') });
  });
  afterAll(() => world.close());

  it.each(['/imgs?q=i~a@box:20,20,60,60', '/imgs/explain?q=i~a@box:20,20,60,60'])(
    'is no error of the client, and is reported with a hint: %s',
    async (path) => {
      const { status, body } = await client.rest('GET', path);
      expect([status, body]).toEqual([
        504,
        { detail: 'Timed out while analyzing the picture', code: 'timeout', hint: expect.stringContaining('again') },
      ]);
      expect(urgent.at(-1)).toBe(true);
    },
  );

  it('is not kept as a query image that would compare with nothing', async () => {
    const form = new FormData();
    form.append('image', new Blob([readFileSync(join(world.media, 'a.png'))]), 'a.png');
    const url = `${world.url}/query_imgs`;
    const answer = await fetch(url, { method: 'POST', body: form, headers: { 'API-Key': client.key } });
    expect([answer.status, await answer.json()]).toMatchObject([504, { hint: expect.stringContaining('again') }]);
  });
});
