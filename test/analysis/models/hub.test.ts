import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { afterEach, describe, expect, it } from 'vitest';
import { fetchModel, planModel } from '../../../src/analysis/models/hub/add-model.ts';
import { curatedModels, entryOf } from '../../../src/analysis/models/hub/curated.ts';
import type { CuratedModel } from '../../../src/analysis/models/hub/curated.ts';
import { hubLimits } from '../../../src/analysis/models/hub/hub.ts';
import type { Hub } from '../../../src/analysis/models/hub/hub.ts';
import { removeModel } from '../../../src/analysis/models/hub/remove-model.ts';
import { filesOf } from '../../../src/analysis/models/manifest.ts';
import { parseModels, readManifest } from '../../../src/analysis/models/read-manifest.ts';
import { createOwnModels } from '../../../src/analysis/providers/local/own-models.ts';
import { openHubServer } from '../../support/hub-server.ts';
import type { HubFault, HubServer } from '../../support/hub-server.ts';
import { ownModels, whyNoModels } from '../../support/own-models.ts';
import { newFolder } from '../../support/program.ts';

const half = [0.5, 0.5, 0.5];
const fixture = (path: string, isLarge: boolean) => ({ content: readFileSync(join(ownModels, path)), isLarge });
const repositories = {
  'tests/tiny': {
    'onnx/vision model.onnx': fixture('clip/vision.onnx', true),
    'onnx/text.onnx': fixture('clip/text.onnx', true),
    'tokenizer.json': fixture('clip/tokenizer.json', false),
    'README.md': { content: Buffer.from('# Tiny'), isLarge: false },
  },
};
const tiny: CuratedModel = {
  name: 'tiny',
  task: 'embedding',
  about: 'colors',
  license: 'Apache-2.0',
  card: 'https://example.com/tiny',
  repository: 'tests/tiny',
  megabytes: 1,
  files: { image: 'onnx/vision model.onnx', text: 'onnx/text.onnx', tokenizer: 'tokenizer.json' },
  entry: { preprocessing: { size: 32, mean: half, std: half } },
};
const words: CuratedModel = { ...tiny, name: 'words', task: 'keywords', entry: { ...tiny.entry, labels: ['red'] } };

const opened: HubServer[] = [];
afterEach(() => opened.splice(0).forEach((each) => each.close()));

async function openHub(options: Parameters<typeof openHubServer>[1] = {}) {
  const server = await openHubServer(repositories, options);
  opened.push(server);
  const hub: Hub = {
    url: server.url,
    token: undefined,
    proxies: { https: undefined, http: undefined, none: [] },
    signal: new AbortController().signal,
    limits: { ...hubLimits, idleMs: 300, pausesMs: [1, 1] },
  };
  return { server, hub };
}

async function add(hub: Hub, folder: string, model = tiny, onProgress: (bytes: number) => void = () => {}) {
  const plan = await planModel(hub, model, folder);
  await fetchModel(hub, plan, folder, onProgress);
  return plan;
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => each.name)
    .toSorted();
const whole = ['models.json', 'text.onnx', 'tokenizer.json', 'vision model.onnx'];

describe('the list of models that can be fetched', () => {
  it.each(curatedModels.map((model) => [model.name, model] as const))(
    'describes %s as models.json takes it',
    (_, model) => {
      const digests = Object.fromEntries(Object.keys(model.files).map((role) => [role, 'a'.repeat(64)]));
      const { models, faults } = parseModels({ models: [entryOf(model, digests)] });
      expect([faults, models[0]?.license]).toEqual([[], model.license]);
      expect(filesOf(models[0] as (typeof models)[number]).map(([role]) => role)).toEqual(Object.keys(model.files));
    },
  );
});

describe('a model of the hub', () => {
  it('is stored with its entry in models.json behind the others, which stay as they are', async () => {
    const folder = newFolder();
    const other = { ...JSON.parse(readFileSync(join(ownModels, 'models.json'), 'utf8')).models[3], name: 'mine' };
    for (const { path } of Object.values(other.files as Record<string, { path: string }>)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), '');
    }
    writeFileSync(join(folder, 'models.json'), JSON.stringify({ models: [other] }));
    const { hub, server } = await openHub({ pageSize: 2 });
    const shown: number[] = [];
    const { bytes, missingBytes } = await add(hub, folder, tiny, (each) => shown.push(each));
    expect(JSON.parse(readFileSync(join(folder, 'models.json'), 'utf8')).models[0]).toEqual(other);
    expect(readManifest(folder)?.map(({ name }) => name)).toEqual(['mine', 'tiny']);
    expect([missingBytes, shown.at(-1)]).toEqual([bytes, bytes]);
    expect(server.asked.filter((each) => each.includes('/tree/'))).toHaveLength(3);
  });

  it.skipIf(whyNoModels !== '')(`runs with its entry${whyNoModels}`, async () => {
    const folder = newFolder();
    const { hub } = await openHub();
    await add(hub, folder);
    const entries = readManifest(folder) ?? [];
    const provider = createOwnModels({ entries, modelsDir: folder, memoryBytes: 2 ** 26, threads: 1 });
    try {
      const background = { create: { width: 32, height: 32, channels: 3 as const, background: 'red' } };
      const jpeg = await sharp(background).jpeg().toBuffer();
      const options = { langs: ['en' as const], context: {}, signal: hub.signal };
      const vector = await provider.models.embedding?.run({ jpeg, width: 32, height: 32 }, options);
      expect(vector).toBeInstanceOf(Int8Array);
    } finally {
      provider.close?.();
    }
  });

  it('that shares its files with one that is here is added without fetching them again', async () => {
    const folder = newFolder();
    const { hub, server } = await openHub();
    await add(hub, folder);
    const before = server.headers.length;
    expect((await add(hub, folder, words)).missingBytes).toBe(0);
    expect([server.headers.length, readManifest(folder)?.length]).toEqual([before, 2]);
  });

  it.each<[string, HubFault[], number]>([
    ['cut in the middle', ['cut', 'cut', 'cut', 'cut'], 7],
    ['stalls', ['hang'], 4],
    ['is busy', ['busy', 'busy'], 5],
    ['has no ranges', ['cut', 'no ranges'], 4],
  ])('arrives although the connection %s', async (_name, faults, requests) => {
    const folder = newFolder();
    const { hub, server } = await openHub();
    server.faults.push(...faults);
    await add(hub, folder);
    expect([filesIn(folder), server.headers.length]).toEqual([whole, requests]);
  });

  it('that was given up goes on in the next run where it was, and is in models.json only when it is whole', async () => {
    const folder = newFolder();
    const { hub, server } = await openHub();
    server.faults.push('cut', 'busy', 'busy');
    await expect(add(hub, folder)).rejects.toThrow(
      /answers 503 for tests\/tiny\/onnx\/vision model\.onnx\. \d+ % of onnx\/vision model\.onnx is here: run the command again/,
    );
    expect(filesIn(folder)).toEqual([expect.stringMatching(/^vision model\.onnx\.[0-9a-f]{12}\.part$/)]);
    const bytes = statSync(join(folder, 'tests/tiny/onnx', filesIn(folder)[0] as string)).size;
    const plan = await planModel(hub, tiny, folder);
    expect(plan.bytes - plan.missingBytes).toBe(bytes);
    server.asked.length = 0;
    await add(hub, folder);
    expect(server.asked.filter((each) => each.endsWith(`bytes=${bytes}-`))).toHaveLength(2);
    expect(filesIn(folder)).toEqual(whole);
  });

  it('is fetched from its start if what an earlier run left is damaged', async () => {
    const folder = newFolder();
    const { hub } = await openHub();
    const { content } = repositories['tests/tiny']['onnx/text.onnx'];
    const digest = createHash('sha256').update(content).digest('hex');
    mkdirSync(join(folder, 'tests/tiny/onnx'), { recursive: true });
    writeFileSync(join(folder, `tests/tiny/onnx/text.onnx.${digest.slice(0, 12)}.part`), Buffer.alloc(100));
    await add(hub, folder);
    expect(filesIn(folder)).toEqual(whole);
  });

  it.each([0, 2])('with another digest than the hub states is removed and named (file %i)', async (index) => {
    const folder = newFolder();
    const { hub, server } = await openHub();
    const all: (HubFault | undefined)[] = [undefined, undefined, undefined];
    all[index] = 'damage';
    server.faults.push(...(all as HubFault[]));
    await expect(add(hub, folder)).rejects.toThrow(
      /^What arrived as tests\/tiny\/.* has a digest other than 127\.0\.0\.1:\d+ states, and was removed\. Run the command again\.$/,
    );
    expect(filesIn(folder)).toEqual(whole.slice(1).filter((_, k) => (index === 0 ? false : k !== 1)));
  });

  it('ends at once when it is interrupted', async () => {
    const folder = newFolder();
    const { hub, server } = await openHub();
    server.faults.push('hang');
    const interrupt = new AbortController();
    const plan = await planModel(hub, tiny, folder);
    const fetching = fetchModel({ ...hub, signal: interrupt.signal }, plan, folder, () => interrupt.abort());
    await expect(fetching).rejects.toMatchObject({ name: 'AbortError' });
    expect(existsSync(join(folder, 'models.json'))).toBe(false);
  });

  it('is given with the token of the hub, which no other server gets', async () => {
    const folder = newFolder();
    const { hub, server } = await openHub({ token: 'hf_secret' });
    await add({ ...hub, token: 'hf_secret' }, folder);
    expect(server.headers.map(({ authorization }) => authorization)).toEqual([
      undefined,
      undefined,
      'Bearer hf_secret',
    ]);
  });
});

describe('what cannot be fetched is refused with a hint', () => {
  it.each<[string, Partial<CuratedModel>, Partial<Hub>, RegExp]>([
    [
      'no such repository',
      { repository: 'tests/none' },
      {},
      /^127\.0\.0\.1:\d+ has no tests\/none\. Check MODELS_HUB, or set HF_TOKEN/,
    ],
    ['no such repository for a token', { repository: 'tests/none' }, { token: 'x' }, /has no tests\/none/],
    [
      'no such file',
      { files: { image: 'other.onnx' } },
      {},
      /no longer has the file other\.onnx\. Choose another model: vitrine models list/,
    ],
    [
      'nobody there',
      {},
      { url: 'http://127.0.0.1:1' },
      /^127\.0\.0\.1:1 cannot be read: nothing is listening there\. Check the connection/,
    ],
    [
      'a proxy that is not there',
      {},
      { proxies: { https: undefined, http: 'http://127.0.0.1:1', none: [] } },
      /cannot be read: nothing is listening there\. Check .*HTTPS_PROXY/,
    ],
  ])('%s', async (_name, change, hubChange, message) => {
    const { hub } = await openHub();
    const error = await planModel({ ...hub, ...hubChange }, { ...tiny, ...change }, newFolder()).catch(
      (fault: unknown) => fault,
    );
    expect(error).toMatchObject({ name: 'SetupError', message: expect.stringMatching(message) });
  });

  it('a model that models.json has already', async () => {
    const folder = newFolder();
    const { hub } = await openHub();
    await add(hub, folder);
    await expect(planModel(hub, tiny, folder)).rejects.toThrow(/already has tiny.*vitrine models remove tiny/);
  });

  it('any model, before anything is fetched, if models.json is faulty', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'models.json'), '{"models": [{"name": "x"}]}');
    const { hub, server } = await openHub();
    await expect(planModel(hub, tiny, folder)).rejects.toThrow(
      /models\.json cannot be used\. Correct it first:\n {2}models\[0\] \(x\)/,
    );
    expect(server.asked).toEqual([]);
  });
});

describe('a model that is removed', () => {
  it('takes its entry and those of its files away that no other entry names', async () => {
    const folder = newFolder();
    const { hub } = await openHub();
    await add(hub, folder);
    await add(hub, folder, words);
    expect(await removeModel(folder, 'words', [])).toEqual({ files: [], bytes: 0 });
    expect(readManifest(folder)?.map(({ name }) => name)).toEqual(['tiny']);
    const removed = await removeModel(folder, 'tiny', []);
    expect([removed.files.length, filesIn(folder), readdirSync(folder)]).toEqual([3, ['models.json'], ['models.json']]);
  });

  it('removes what was fetched in part, too', async () => {
    const folder = newFolder();
    const { hub, server } = await openHub();
    server.faults.push('cut', 'busy', 'busy');
    await expect(add(hub, folder)).rejects.toThrow(/answers 503/);
    expect(await removeModel(folder, 'tiny', [tiny])).toMatchObject({ files: [expect.any(String)] });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('and is not here is named with those that are', async () => {
    await expect(removeModel(newFolder(), 'none', [tiny])).rejects.toThrow(
      /^There is no model 'none' in .*The folder has no models\.$/,
    );
    await expect(removeModel(ownModels, 'none', [])).rejects.toThrow(/Its models are: tiny-clip, tiny-siglip/);
  });
});
