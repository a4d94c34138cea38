import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PoolClient } from 'pg';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImageAnalyzer } from '../../src/analysis/index.ts';
import { toDirection } from '../../src/analysis/providers/provider.ts';
import type { EmbeddingModel, Provider } from '../../src/analysis/providers/provider.ts';
import { findFormerVectors } from '../../src/doctor/vectors.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { modelOf } from '../../src/similarity/references/image-signature.ts';
import { switchModels } from '../../src/similarity/index.ts';
import { tenantIdOf } from '../operations/support.ts';
import { analyzerOf, analyzerThat, quickNames } from '../support/analyzers.ts';
import { meanColorOf } from '../support/mean-color.ts';
import { ownModels, whyNoModels } from '../support/own-models.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { full } from '../support/effort.ts';

const colors = ['red', 'green', 'blue', 'yellow'] as const;
const named: Readonly<Record<string, readonly number[]>> = {
  red: [1, 0, 0],
  green: [0, 1, 0],
  blue: [0, 0, 1],
  yellow: [1, 1, 0],
};

/** A model that places pictures by their mean color, in so many dimensions. */
const colorModel = (dimensions: number): EmbeddingModel => {
  const direction = (rgb: readonly number[]) =>
    toDirection([...Array.from({ length: dimensions - 3 }, () => 0), ...rgb]);
  return {
    model: {
      run: async (picture) => direction(await meanColorOf(picture)),
    },
    embedText: async (text) => direction(named[/red|green|blue|yellow/.exec(text)?.[0] ?? ''] ?? [1, 1, 1]),
  };
};

const models: Readonly<Record<string, EmbeddingModel>> = {
  'own:a 1': colorModel(16),
  'own:b 1': colorModel(32),
  'own:c 1': colorModel(48),
};

/** As a service that is configured with one of these models. */
function colorAnalyzer(name: 'own:a' | 'own:b' | 'own:c'): ImageAnalyzer {
  const { model, embedText } = models[`${name} 1`] as EmbeddingModel;
  const provider: Provider = {
    models: { embedding: { name, version: '1', ...model } },
    embedText,
    embeddingModel: (asked) => models[asked] ?? null,
    costs: () => ({}),
  };
  return analyzerThat(async () => ({ outcomes: {} }), {}, [provider]);
}

const ownAnalyzer = (model: string) =>
  analyzerOf(quickNames, { MODELS_DIR: ownModels, AI_EMBEDDING_PROVIDER: 'local', AI_EMBEDDING_MODEL: model });

type Pair = readonly [what: string, isSkipped: boolean, open: () => readonly [ImageAnalyzer, ImageAnalyzer]];
const pairs: readonly Pair[] = [
  ['models of colors', false, () => [colorAnalyzer('own:a'), colorAnalyzer('own:b')]],
  [
    `networks of models.json${whyNoModels}`,
    whyNoModels !== '',
    () => [ownAnalyzer('tiny-clip'), ownAnalyzer('tiny-siglip')],
  ],
];

describe.each(pairs)('a new embedding model, of %s', (_what, isSkipped, open) => {
  describe.skipIf(isSkipped)('is used once all have a vector of it', () => {
    let world: World;
    let client: Client;
    let analyzers: readonly [ImageAnalyzer, ImageAnalyzer];
    let current: ImageAnalyzer;
    let hash: string;
    beforeAll(async () => {
      analyzers = open();
      [current] = analyzers;
      // As if the service was started again with other settings.
      const imageAnalyzer = new Proxy({} as ImageAnalyzer, { get: (_target, key) => Reflect.get(current, key) });
      world = await openWorld({ analyses: true, imageAnalyzer });
      client = await world.client({ role: 'admin' });
      const elements = [];
      for (const color of [...colors, 'gone']) {
        const path = await world.picture(`${color}.png`, { color: color === 'gone' ? 'red' : color });
        elements.push({ id: color, src_path: path });
      }
      await client.write('POST', '/imgs', elements);
      hash = await uploadBlue();
      await switchOver();
    });
    afterAll(async () => {
      await world.close();
      for (const each of analyzers) await each.close();
    });

    const uploadBlue = async (): Promise<string> => {
      const bytes = await sharp({ create: { width: 64, height: 48, channels: 3, background: 'blue' } })
        .png()
        .toBuffer();
      const body = new FormData();
      body.append('image', new Blob([new Uint8Array(bytes)]), 'blue.png');
      const answer = await fetch(`${world.url}/query_imgs`, {
        method: 'POST',
        body,
        headers: { 'API-Key': client.key },
      });
      return ((await answer.json()) as { hash: string }).hash;
    };
    const switchOver = async () => {
      const model = modelOf(current);
      if (model === null) throw new Error('no model');
      const { signal } = new AbortController();
      const all = await switchModels(world.backing.database, { model, signature: current.signature }, signal);
      const id = await tenantIdOf(world, client);
      return all.filter(({ tenantId }) => tenantId === id).map(({ resource }) => resource);
    };
    const analyze = (...ids: string[]) =>
      client.graphql(`mutation { analyzeImages(ids: ${JSON.stringify(ids)}, force: true, wait: true) { __typename } }`);
    const find = async (q: string): Promise<string[]> => {
      const { status, body } = await client.rest('GET', `/imgs?fields=image_id&q=${encodeURIComponent(q)}`);
      if (status !== 200) throw new Error(JSON.stringify(body));
      return body.results.map(({ image_id: id }: { image_id: string }) => id);
    };
    const progress = async () => {
      const { data } = await client.graphql('{ tenantState { vectors { resource model nextModel done total } } }');
      return data.tenantState.vectors;
    };
    const stored = async () => {
      const { rows } = await world.backing.database.pool.query(
        `SELECT count(*)::int AS all, count(former_embedding)::int AS former FROM image_fingerprint WHERE tenant_id = $1`,
        [await tenantIdOf(world, client)],
      );
      return rows[0];
    };
    const nearest = async () => [
      (await find('i~~~red'))[0],
      (await find('i~~~"a green picture"'))[0],
      (await find(`i~~~${hash}`))[0],
    ];

    it('and until then the former one answers, for pictures and texts, while the new vectors are stored beside it', async () => {
      expect(await nearest()).toEqual(['gone', 'green', 'blue']);
      const [former, next] = analyzers.map(modelOf);
      expect(await progress()).toEqual([{ resource: 'image', model: former, nextModel: null, done: 5, total: 5 }]);
      const before = await find('i~~~red');
      [, current] = analyzers;
      await analyze('red', 'blue');
      expect(await switchOver()).toEqual([]);
      expect(await nearest()).toEqual(['gone', 'green', 'blue']);
      expect(await find('i~~~red')).toEqual(before);
      expect(await stored()).toEqual({ all: 5, former: 2 });
      expect(await progress()).toEqual([{ resource: 'image', model: former, nextModel: next, done: 2, total: 5 }]);
      const [finding] = await findFormerVectors(world.backing.database.pool as unknown as PoolClient);
      expect(finding).toMatchObject({
        state: 'note',
        text: `2 of 5 vectors of images exist for ${next}; until all do, 1 tenant(s) are searched with ${former}`,
      });
    });

    it('or cannot have one; then the new one answers, and the former vectors are removed', async () => {
      rmSync(join(world.media, 'gone.png'));
      await analyze('green', 'yellow', 'gone');
      expect(await switchOver()).toEqual(['image']);
      expect(await stored()).toEqual({ all: 5, former: 0 });
      expect(await findFormerVectors(world.backing.database.pool as unknown as PoolClient)).toEqual([]);
      expect((await find('i~~~red')).includes('gone')).toBe(false);
      expect((await find('i~~~"a green picture"'))[0]).toBe('green');
      expect((await find(`i~~~${hash}`))[0]).toBe('blue');
      const [, next] = analyzers.map(modelOf);
      expect(await progress()).toMatchObject([{ resource: 'image', model: next, nextModel: null, done: 4, total: 4 }]);
    });
  });
});

describe('the vectors of a record', () => {
  let world: World;
  let tenant: number;
  let analyzer: ImageAnalyzer = colorAnalyzer('own:a');
  beforeAll(async () => {
    world = await openWorld({
      analyses: true,
      imageAnalyzer: new Proxy({} as ImageAnalyzer, { get: (_target, key) => Reflect.get(analyzer, key) }),
    });
    await world.picture('red.png', { color: 'red' });
  });
  afterAll(() => world.close());

  const switchTo = (name: keyof typeof names) => {
    analyzer = colorAnalyzer(names[name]);
    return switchModels(
      world.backing.database,
      { model: `${names[name]} 1`, signature: analyzer.signature },
      new AbortController().signal,
    );
  };
  const names = { a: 'own:a', b: 'own:b', c: 'own:c' } as const;
  const analyzeBy = async (client: Client, name: keyof typeof names) => {
    analyzer = colorAnalyzer(names[name]);
    await client.graphql('mutation { analyzeImages(ids: ["x"], force: true, wait: true) { __typename } }');
  };
  /** The newest vector of each record, with that of the model in use beside it. */
  const vectorsOf = async (): Promise<string[]> => {
    const { rows } = await world.backing.database.pool.query<{ pair: string }>(
      `SELECT i.image_id || ': ' || m.name || COALESCE(' beside ' || o.name, '') AS pair
       FROM image_fingerprint f JOIN image i USING (row_id) JOIN embedding_model m ON m.id = f.model_id
       LEFT JOIN embedding_model o ON o.id = f.former_model_id WHERE f.tenant_id = $1 ORDER BY 1`,
      [tenant],
    );
    return rows.map(({ pair }) => pair.replaceAll(/own:| 1/g, ''));
  };
  /** A tenant with two images that model a has analyzed, which is in use. */
  const begin = async (): Promise<Client> => {
    analyzer = colorAnalyzer('own:a');
    const client = await world.client({ role: 'admin' });
    tenant = await tenantIdOf(world, client);
    await client.write('POST', '/imgs', [
      { id: 'x', src_path: 'red.png' },
      { id: 'y', src_path: 'red.png' },
    ]);
    await switchTo('a');
    return client;
  };

  it('keep that of the model in use when a third model comes before the second has all', async () => {
    const client = await begin();
    await analyzeBy(client, 'b');
    await analyzeBy(client, 'c');
    expect(await vectorsOf()).toEqual(['x: c beside a', 'y: a']);
    expect(await switchTo('c')).toEqual([]);
  });

  it('are one again when the former model is configured again', async () => {
    const client = await begin();
    await analyzeBy(client, 'b');
    expect(await vectorsOf()).toEqual(['x: b beside a', 'y: a']);
    await analyzeBy(client, 'a');
    expect(await vectorsOf()).toEqual(['x: a', 'y: a']);
  });

  it('are those of a new model alone if no record needs a former one', async () => {
    const client = await begin();
    await analyzeBy(client, 'b');
    await client.write('DELETE', '/imgs/y');
    expect(await switchTo('b')).toContainEqual({ tenantId: tenant, resource: 'image' });
    expect(await vectorsOf()).toEqual(['x: b']);
  });
});

describe('the vectors of frames', () => {
  let world: World;
  let client: Client;
  let tenant: number;
  let analyzer: ImageAnalyzer = colorAnalyzer('own:a');
  beforeAll(async () => {
    world = await openWorld({
      analyses: true,
      mediaRoots: [join(packageRoot, 'examples/videos')],
      imageAnalyzer: new Proxy({} as ImageAnalyzer, { get: (_target, key) => Reflect.get(analyzer, key) }),
    });
    client = await world.client({ role: 'admin' });
    tenant = await tenantIdOf(world, client);
  });
  afterAll(() => world.close());

  const switchTo = async (model: 'own:a' | 'own:b') => {
    const current = { model: `${model} 1`, signature: analyzer.signature };
    const all = await switchModels(world.backing.database, current, new AbortController().signal);
    return all.filter(({ resource, tenantId }) => resource === 'video' && tenantId === tenant).length;
  };
  const analyze = (id: string) =>
    client.graphql(`mutation { analyzeVideos(ids: ["${id}"], force: true, wait: true) { __typename } }`);
  const modelsOf = async () => {
    const { rows } = await world.backing.database.pool.query<{ pair: string }>(
      `SELECT DISTINCT v.video_id || ': ' || m.name || COALESCE(' beside ' || o.name, '') AS pair
       FROM video_frame f JOIN video v ON v.row_id = f.video_row_id JOIN embedding_model m ON m.id = f.model_id
       LEFT JOIN embedding_model o ON o.id = f.former_model_id WHERE f.tenant_id = $1 ORDER BY 1`,
      [tenant],
    );
    return rows.map(({ pair }) => pair.replaceAll(/own:| 1/g, ''));
  };
  const found = async () => {
    const { body } = await client.rest('GET', `/vids?fields=video_id&q=${encodeURIComponent('i~~~"a gray picture"')}`);
    return body.results.map(({ video_id: id }: { video_id: string }) => id).toSorted();
  };

  it('are searched by the former model until all videos have the new one, then by that', full, async () => {
    await client.write(
      'POST',
      '/vids',
      ['x', 'y'].map((id) => ({ id, src_path: 'nagasaki-pan.mp4' })),
    );
    await switchTo('own:a');
    expect([await modelsOf(), await found()]).toEqual([
      ['x: a', 'y: a'],
      ['x', 'y'],
    ]);

    analyzer = colorAnalyzer('own:b');
    await analyze('x');
    expect(await switchTo('own:b')).toBe(0);
    expect([await modelsOf(), await found()]).toEqual([
      ['x: b beside a', 'y: a'],
      ['x', 'y'],
    ]);
    const { data } = await client.graphql('{ tenantState { vectors { resource model nextModel done total } } }');
    const [{ done, total, ...models }] = data.tenantState.vectors;
    expect(models).toEqual({ resource: 'video', model: 'own:a 1', nextModel: 'own:b 1' });
    expect(done * 2).toBe(total);

    await analyze('y');
    expect(await switchTo('own:b')).toBe(1);
    expect([await modelsOf(), await found()]).toEqual([
      ['x: b', 'y: b'],
      ['x', 'y'],
    ]);
  });
});
