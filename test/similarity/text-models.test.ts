import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toDirection } from '../../src/analysis/providers/provider.ts';
import type { Provider } from '../../src/analysis/providers/provider.ts';
import { analyzerThat } from '../support/analyzers.ts';
import { meanColorOf } from '../support/mean-color.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

const named: Readonly<Record<string, readonly number[]>> = {
  red: [1, 0, 0],
  green: [0, 1, 0],
  blue: [0, 0, 1],
  purple: [1, 0, 1],
};
const direction = (rgb: readonly number[]) => toDirection([...rgb, ...Array.from({ length: 13 }, () => 0)]);

/** A model small enough to say what it must answer: pictures are their mean color, texts the color they name. */
const provider: Provider = {
  models: {
    embedding: {
      name: 'local:colour-clip',
      version: '1',
      run: async (picture) => direction(await meanColorOf(picture)),
    },
  },
  embedText: async (text) => direction(named[text] ?? [1, 1, 1]),
  costs: () => ({}),
};

describe('a text among images, where a model knows texts', () => {
  let world: World;
  let client: Client;

  beforeAll(async () => {
    world = await openWorld({
      analyses: true,
      imageAnalyzer: analyzerThat(async () => ({ outcomes: {} }), {}, [provider]),
    });
    client = await world.client();
    const elements = [];
    for (const color of Object.keys(named)) {
      elements.push({ id: color, src_path: await world.picture(`${color}.png`, { color }), title: 'red' });
    }
    await client.write('POST', '/imgs', elements);
  });
  afterAll(() => world.close());

  const find = async (q: string) => {
    const { status, body } = await client.rest('GET', `/imgs?fields=image_id&q=${encodeURIComponent(q)}`);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body.results as { image_id: string; similarity: number; match: { by: string; tier: string } }[];
  };
  const ids = async (q: string) => (await find(q)).map(({ image_id: id }) => id).toSorted();

  it('is placed by it, whatever words are kept of the images', async () => {
    const [best, ...others] = await find('i~"red"');
    expect(best).toMatchObject({ image_id: 'red', match: { by: 'embedding', tier: 'scene' } });
    expect(others.map(({ image_id: id }) => id)).toEqual(['purple']);
  });

  it('is joined with images and pushed away from', async () => {
    expect(await ids('i~~~("red" "blue")')).toEqual(['blue', 'purple', 'red']);
    expect(await ids('i~~~(purple -"blue")')).toEqual(['red']);
  });

  it('is explained without a remark', async () => {
    const { body } = await client.rest('GET', `/imgs/explain?q=${encodeURIComponent('i~"red"')}`);
    expect([body.count, body.warnings]).toEqual([2, []]);
  });
});
