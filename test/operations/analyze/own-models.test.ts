import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analyzerOf, quickNames } from '../../support/analyzers.ts';
import { makeClip, steady } from '../../support/clips.ts';
import { ownModels, whyNoModels } from '../../support/own-models.ts';
import { openWorld } from '../../support/world.ts';
import type { Client, World } from '../../support/world.ts';

describe.skipIf(whyNoModels !== '')(`pictures analyzed by the models of MODELS_DIR${whyNoModels}`, () => {
  let world: World;
  let client: Client;

  beforeAll(async () => {
    const imageAnalyzer = analyzerOf(quickNames, { MODELS_DIR: ownModels, AI_PROVIDER: 'local' });
    world = await openWorld({ analyses: true, imageAnalyzer });
    client = await world.client({ tenant: 'agency' });
    await world.backing.database.prisma.tenant.update({ where: { name: 'agency' }, data: { aiFill: true } });
    const page = sharp({ create: { width: 256, height: 64, channels: 3, background: 'white' } }).composite(
      ['#ff0000', '#00ff00', '#0000ff'].map((background, index) => ({
        input: { create: { width: 40, height: 32, channels: 3, background } },
        left: 60 + 40 * index,
        top: 16,
      })),
    );
    await page.toFile(join(world.media, 'page.png'));
    const elements = [{ id: 'page', src_path: 'page.png' }];
    for (const color of ['red', 'green', 'blue', 'yellow']) {
      elements.push({ id: color, src_path: await world.picture(`${color}.png`, { color }) });
    }
    await client.write('POST', '/imgs?lang=en', elements);
    const size = { width: 64, height: 48 };
    const pictures = await Promise.all(
      ['red', 'blue'].map((background) =>
        sharp({ create: { ...size, channels: 4, background } })
          .raw()
          .toBuffer(),
      ),
    );
    const clip = await makeClip({ ...size, bitrate: 500_000, times: steady(20, 4), pictures });
    writeFileSync(join(world.media, 'clip.webm'), clip);
    await client.write('POST', '/vids?lang=en', [{ id: 'clip', src_path: 'clip.webm' }]);
  });
  afterAll(() => world.close());

  const idsOf = async (q: string) => {
    const { status, body } = await client.rest('GET', `/imgs?fields=image_id&q=${encodeURIComponent(q)}`);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body.results.map(({ image_id: id }: { image_id: string }) => id) as string[];
  };

  it('have in their record what each model found, with its name and version', async () => {
    const query = `{ image(id: "red") { aiStatus caption keywords nsfw ai {
      nsfw
      analyzers { kind analyzer version isOk }
    } } }`;
    const { data, errors } = await client.graphql(query);
    expect(errors).toBeUndefined();
    expect(data.image).toMatchObject({ aiStatus: 'ready', caption: 'a picture in red', keywords: ['red'], nsfw: true });
    expect(data.image.ai.nsfw).toBeGreaterThan(0.99);
    const models = ['caption', 'concepts', 'embedding', 'faces', 'nsfw', 'ocr'];
    const names = ['tiny-captioner', 'tiny-words', 'tiny-clip', 'tiny-faces', 'tiny-nsfw', 'tiny-reader'];
    for (const [index, kind] of models.entries()) {
      const expected = {
        kind,
        analyzer: `local:${names[index]}`,
        version: expect.stringMatching(/^[0-9a-f]{12}$/),
        isOk: true,
      };
      expect(data.image.ai.analyzers).toContainEqual(expected);
    }
  });

  it('are found by what the models say', async () => {
    // These models know two colors each: yellow is nearer to red than to teal, and red nearer to yellow.
    expect((await idsOf('nsfw:true')).toSorted()).toEqual(['red', 'yellow']);
    expect(await idsOf('ocr:"RGB"')).toEqual(['page']);
    expect((await idsOf('n_faces:1..')).toSorted()).toEqual(['red', 'yellow']);
    expect(await idsOf('rojo')).toEqual(['red']);
    expect(await idsOf('"picture in blue"')).toEqual(['blue']);
  });

  it('are found by frames of a video, each of which the models analyze', async () => {
    const query = `{ video(id: "clip") { aiStatus aiReason nFaces nsfw keywords ai {
      analyzers { kind analyzer isOk }
      frames { timeSecs ai { nsfw concepts { label } faces { confidence } } }
    } } }`;
    const { data, errors } = await client.graphql(query);
    expect(errors).toBeUndefined();
    const { ai, ...record } = data.video;
    expect(record).toMatchObject({ aiStatus: 'ready', aiReason: null, nsfw: true });
    expect(record.keywords.toSorted()).toEqual(['blue', 'red']);
    expect(record.nFaces).toBeGreaterThan(0);
    expect(ai.analyzers).toContainEqual({ kind: 'nsfw', analyzer: 'local:tiny-nsfw', isOk: true });
    const shown = ai.frames.map((frame: { ai: { concepts: { label: string }[] } }) => frame.ai.concepts[0]?.label);
    expect(new Set(shown)).toEqual(new Set(['red', 'blue']));
    for (const { ai: found } of ai.frames) {
      const isRed = found.concepts[0]?.label === 'red';
      expect(found.faces.length > 0).toBe(isRed);
      expect(found.nsfw > 0.5).toBe(isRed);
    }
    const { body } = await client.rest('GET', `/vids?fields=video_id&q=${encodeURIComponent('i~"a blue picture"')}`);
    expect(body.results).toMatchObject([{ video_id: 'clip' }]);
  });

  it('are found by a text that is embedded in the space of pictures', async () => {
    for (const color of ['red', 'green', 'blue', 'yellow']) {
      const [first] = await idsOf(`i~"a ${color} picture"`);
      expect(first).toBe(color);
    }
  });
});
