import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import sharp from 'sharp';
import type { OverlayOptions } from 'sharp';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Face, Facts } from '../../../src/analysis/index.ts';
import type { ModelEntry } from '../../../src/analysis/models/manifest.ts';
import type { ModelProcessLimits } from '../../../src/analysis/models/model-process.ts';
import { readManifest } from '../../../src/analysis/models/read-manifest.ts';
import { ModelTools } from '../../../src/analysis/models/tools.ts';
import { createOwnModels } from '../../../src/analysis/providers/local/own-models.ts';
import type { Capability } from '../../../src/analysis/providers/provider.ts';
import { ownModels, whyNoModels } from '../../support/own-models.ts';
import { newFolder } from '../../support/program.ts';
import { full } from '../../support/effort.ts';

const signal = new AbortController().signal;

async function pictureOf(background: string, { width = 64, height = 48, parts = [] as OverlayOptions[] } = {}) {
  const image = sharp({ create: { width, height, channels: 3, background } }).composite(parts);
  return { jpeg: await image.jpeg({ quality: 95 }).toBuffer(), width, height };
}

/** A block of one color at a place of a picture. */
const block = (background: string, [left, top, width, height]: readonly [number, number, number, number]) => ({
  input: { create: { width, height, channels: 3 as const, background } },
  left,
  top,
});

type Options = Readonly<{ folder?: string; limits?: Partial<ModelProcessLimits>; memoryBytes?: number }>;
const opened: { close: () => void }[] = [];

/** The models of a folder; `only` those of these names. */
function open(
  only: readonly string[] | null = null,
  { folder = ownModels, limits, memoryBytes = 2 ** 26 }: Options = {},
) {
  const all = readManifest(folder) as readonly ModelEntry[];
  const entries =
    only === null ? all.filter(({ name }) => name !== 'tiny-siglip') : all.filter(({ name }) => only.includes(name));
  const provider = createOwnModels({ entries, modelsDir: folder, memoryBytes, threads: 1, ...(limits && { limits }) });
  opened.push({ close: () => provider.close?.() });
  const ask = async <C extends Capability>(
    name: C,
    picture: Awaited<ReturnType<typeof pictureOf>>,
    lang: 'en' | 'es' = 'en',
  ) => {
    const model = provider.models[name];
    if (model === undefined) throw new Error(`no model for ${name}`);
    return model.run(picture, { langs: [lang], context: {}, signal });
  };
  return { ...provider, ask };
}

/** A copy of the folder with other entries in models.json. */
function changedFolder(change: (entry: Record<string, unknown>) => object): string {
  const folder = newFolder();
  cpSync(ownModels, folder, { recursive: true });
  const { models } = JSON.parse(readFileSync(join(folder, 'models.json'), 'utf8')) as {
    models: Record<string, unknown>[];
  };
  writeFileSync(
    join(folder, 'models.json'),
    JSON.stringify({ models: models.map((entry) => ({ ...entry, ...change(entry) })) }),
  );
  return folder;
}

const cosine = (a: Int8Array, b: Int8Array) =>
  a.reduce((sum, value, k) => sum + value * (b[k] ?? 0), 0) / (Math.hypot(...a) * Math.hypot(...b));

describe.skipIf(whyNoModels !== '')(`models of models.json${whyNoModels}`, () => {
  const models = open();
  opened.length = 0; // It serves all tests; others end with theirs.
  afterAll(() => models.close?.());
  afterEach(() => opened.splice(0).forEach((each) => each.close()));

  it.each(['tiny-clip', 'tiny-siglip'])('embed pictures and texts in one space: %s', async (name) => {
    const own = name === 'tiny-clip' ? models : open([name]);
    const colors = ['red', 'green', 'blue', 'teal'];
    const pictures = await Promise.all(
      colors.map(async (color) => (await own.ask('embedding', await pictureOf(color))) as Int8Array),
    );
    for (const [index, color] of colors.entries()) {
      const text = (await own.embedText?.(`A ${color} picture`, signal)) as Int8Array;
      const scores = pictures.map((each) => cosine(each, text));
      expect(scores.indexOf(Math.max(...scores)), color).toBe(index);
      expect(scores[index]).toBeGreaterThan(0.95);
    }
  });

  it('find keywords by comparing a picture with words, in each language that a label has', async () => {
    const [first] = (await models.ask('keywords', await pictureOf('red'))) as Facts['concepts'];
    expect(first).toMatchObject({ labels: { en: 'red', es: 'rojo', ru: 'красный', fr: 'red' }, source: 'model' });
    expect(first?.confidence).toBeGreaterThan(0.9);
  });

  it('find keywords among the classes of a classifier', async () => {
    const folder = changedFolder(({ name, files }) =>
      name === 'tiny-nsfw'
        ? {
            name: 'classes',
            task: 'keywords',
            files,
            labels: ['red', { en: 'other', es: 'otro' }],
            unsafe: undefined,
            thresholds: { keywords: 0.5 },
          }
        : {},
    );
    const keywords = (await open(['classes'], { folder }).ask(
      'keywords',
      await pictureOf('teal'),
    )) as Facts['concepts'];
    expect(keywords).toMatchObject([{ labels: { en: 'other', es: 'otro', pt: 'other' } }]);
  });

  it('say how unsafe pictures are, by the classes that models.json calls unsafe', async () => {
    expect(await models.ask('nsfw', await pictureOf('red'))).toMatchObject({ isNsfw: true });
    const safe = (await models.ask('nsfw', await pictureOf('teal'))) as Facts['nsfw'];
    expect([safe.isNsfw, safe.confidence < 0.01]).toEqual([false, true]);
  });

  it('find faces and place them in the picture, whatever was added at its borders', async () => {
    // A wide picture is padded above and below: the yellow square is a cell of the grid of 4 × 4 on the padded one.
    const picture = await pictureOf('teal', { width: 64, height: 32, parts: [block('#ffff00', [48, 16, 16, 16])] });
    const faces = (await models.ask('faces', picture)) as readonly Face[];
    expect(faces).toHaveLength(1);
    expect(faces[0]?.box).toEqual({ x: 0.75, y: 0.5, w: 0.25, h: 0.5 });
    expect(await models.ask('faces', await pictureOf('teal'))).toEqual([]);
  });

  it('write captions', async () => {
    expect(await models.ask('caption', await pictureOf('blue'))).toEqual({ en: 'a picture in blue' });
  });

  it('read lines of text where a detector finds them, from top to bottom', async () => {
    const line = (top: number, colors: readonly string[]) =>
      colors.map((color, index) => block(color, [40 + 40 * index, top, 40, 32]));
    const [red, green, blue] = ['#ff0000', '#00ff00', '#0000ff'] as const;
    const parts = [...line(160, [blue, red]), ...line(48, [red, green, blue])];
    const read = (await models.ask(
      'ocr',
      await pictureOf('white', { width: 256, height: 256, parts }),
      'es',
    )) as Facts['ocr'];
    expect(read).toMatchObject({ text: 'RGB\nBR', turned: 0, lines: [{ lang: 'es' }, { lang: 'es' }] });
    const [{ box } = { box: { x: 0, y: 0, w: 0, h: 0 } }] = read.lines;
    expect([box.x < 40 / 256, box.x + box.w > 160 / 256, box.y < 48 / 256, box.h < 0.35]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(await models.ask('ocr', await pictureOf('white'))).toEqual({ text: '', lines: [], turned: 0 });
  });

  it('give each picture of a batch its own result', async () => {
    const colors = ['red', 'teal', 'red', 'blue', 'green', 'red'];
    const results = await Promise.all(colors.map(async (color) => models.ask('nsfw', await pictureOf(color))));
    expect(results.map((result) => (result as Facts['nsfw']).isNsfw)).toEqual(colors.map((color) => color === 'red'));
  });

  it('take pixels in the order and range that models.json states', async () => {
    const folder = changedFolder(({ name, preprocessing }) =>
      name === 'tiny-nsfw' ? { preprocessing: { ...(preprocessing as object), channels: 'bgr' } } : {},
    );
    const own = open(['tiny-nsfw'], { folder });
    expect(await own.ask('nsfw', await pictureOf('blue'))).toMatchObject({ isNsfw: true });
    expect(await own.ask('nsfw', await pictureOf('red'))).toMatchObject({ isNsfw: false });
  });

  it('are not run if a file has another digest, and the error says which it has', async () => {
    const folder = changedFolder(() => ({}));
    writeFileSync(join(folder, 'nsfw.onnx'), 'something else');
    await expect(open(['tiny-nsfw'], { folder }).ask('nsfw', await pictureOf('red'))).rejects.toMatchObject({
      name: 'ProviderError',
      code: 'not_available',
      message: expect.stringMatching(/^nsfw\.onnx has the SHA-256 [0-9a-f]{64}, and models\.json says [0-9a-f]{64}$/),
    });
  });

  it.each([
    ['no network', { files: { image: 'clip/tokenizer.json' } }, 'failed', /ONNX Runtime cannot load it/],
    [
      'labels for other classes',
      { labels: ['a', 'red', 'b'], unsafe: ['red'] },
      'failed',
      /has 2 classes, and models\.json 3 labels/,
    ],
    ['another size', { preprocessing: { size: 48 } }, 'failed', /the model failed: .*(?:dimensions|Expected)/],
    ['a GPU that is not there', { gpu: 'cuda' }, 'not_available', /cuda cannot run it/],
  ])('with %s fail with the reason and no path of this machine', async (_name, change, code, message) => {
    const folder = changedFolder(({ name }) => {
      if (name !== 'tiny-nsfw') return {};
      if (!('files' in change)) return change;
      const { models: all } = JSON.parse(readFileSync(join(ownModels, 'models.json'), 'utf8')) as {
        models: { files: { tokenizer: unknown } }[];
      };
      return { files: { image: all[0]?.files.tokenizer } };
    });
    const failing = open(['tiny-nsfw'], { folder }).ask('nsfw', await pictureOf('red'));
    const error = (await failing.catch((fault: unknown) => fault)) as Error & { code: string };
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)]);
    expect(error.message).not.toContain(folder);
  });

  it('share their memory: one that does not fit is refused, and what is unused makes room', async () => {
    const [nsfw, faces] = ['nsfw.onnx', 'faces.onnx'].map((name) => readFileSync(join(ownModels, name)).length);
    const tight = open(['tiny-nsfw', 'tiny-faces'], { memoryBytes: nsfw as number });
    expect(await tight.ask('nsfw', await pictureOf('red'))).toMatchObject({ isNsfw: true });
    await expect(tight.ask('faces', await pictureOf('teal'))).rejects.toMatchObject({
      code: 'out_of_memory',
      message: expect.stringContaining('MODELS_MEMORY'),
    });
    const roomy = open(['tiny-nsfw', 'tiny-faces'], { memoryBytes: faces as number });
    for (let turn = 0; turn < 3; turn += 1) {
      expect(await roomy.ask('nsfw', await pictureOf('red'))).toMatchObject({ isNsfw: true });
      expect(await roomy.ask('faces', await pictureOf('teal'))).toEqual([]);
    }
  });

  it('end their process when it takes too much memory or time, and run again in another one', full, async () => {
    const limits = { memoryBase: 2 ** 20, memoryFactor: 0, pollMs: 1 };
    await expect(open(['tiny-nsfw'], { limits }).ask('nsfw', await pictureOf('red'))).rejects.toMatchObject({
      code: 'out_of_memory',
    });
    const slow = open(['tiny-nsfw'], { limits: { answerMs: 1 } });
    await expect(slow.ask('nsfw', await pictureOf('red'))).rejects.toMatchObject({ code: 'timeout' });
    const own = open(['tiny-nsfw']);
    expect(await own.ask('nsfw', await pictureOf('red'))).toMatchObject({ isNsfw: true });
    const picture = await pictureOf('red');
    const failing = own.ask('nsfw', picture);
    process.kill(own.process.pid as number, 'SIGKILL');
    await expect(failing).rejects.toMatchObject({ code: 'crashed' });
    expect(await own.ask('nsfw', await pictureOf('red'))).toMatchObject({ isNsfw: true });
  });
});

describe('without ONNX Runtime', () => {
  it('models say which package they need', () => {
    const settings = { modelsDir: 'models', runtime: null, memoryBytes: 2 ** 20, threads: 1 };
    const command = 'npm install --prefix models --ignore-scripts onnxruntime-web';
    expect(() => new ModelTools(settings)).toThrow(`models of MODELS_DIR need a package: ${command}`);
  });
});
