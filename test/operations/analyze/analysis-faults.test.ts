import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SpendCall } from '../../../src/analysis/providers/provider.ts';
import { createHuggingFace } from '../../../src/analysis/providers/huggingface/index.ts';
import { callLimits } from '../../../src/analysis/providers/huggingface/limits.ts';
import type { RemoteCapability } from '../../../src/analysis/providers/huggingface/models.ts';
import { createImageAnalyzer } from '../../../src/analysis/image-analyzer.ts';
import type { Run } from '../../support/program.ts';
import { startWorkerProcess } from '../../support/worker-process.ts';
import { sharedBuiltinAnalyzer } from '../../support/shared-analyzer.ts';
import { openWorld } from '../../support/world.ts';
import type { Client, World } from '../../support/world.ts';
import { garbage, hang, openInferenceServer, status } from '../../analysis/providers/inference-server.ts';
import type { Fault, InferenceServer } from '../../analysis/providers/inference-server.ts';
import { full } from '../../support/effort.ts';
import { finished, send } from '../support.ts';

let server: InferenceServer;
beforeAll(async () => {
  server = await openInferenceServer();
});
beforeEach(() => {
  server.faults.length = 0;
});
afterAll(() => server.close());

const builtin = { colors: '1', shape: '1' };

type Served = Readonly<{
  serves?: readonly RemoteCapability[];
  builtin?: Record<string, string>;
  fallsBack?: boolean;
  spend?: SpendCall;
}>;

async function openFaultyWorld(attemptMs = 300, served: Served = {}): Promise<World> {
  const limits = { ...callLimits, attemptMs, attempts: 1, failuresInRow: 100 };
  const provider = createHuggingFace({
    serves: served.serves ?? ['nsfw'],
    models: {},
    endpoint: server.endpoint,
    candidates: [],
    limits,
    spend: served.spend,
  });
  const imageAnalyzer = createImageAnalyzer({
    builtinAnalyzer: sharedBuiltinAnalyzer,
    builtin,
    providers: [provider],
    ...served,
  });
  const world = await openWorld({ analyses: true, imageAnalyzer });
  await world.picture('p.png');
  return world;
}

const ai = async (client: Client, id: string) => {
  const query = `{ image(id: "${id}") { aiStatus ai { colors { name } nsfw analyzers { kind isOk errorCode errorMessage } } } }`;
  return (await client.graphql(query)).data.image;
};

describe('a provider', () => {
  let world: World;
  let client: Client;
  beforeAll(async () => {
    world = await openFaultyWorld();
    client = await world.client();
  });
  afterAll(() => world.close());

  it.each<[string, Fault, string, RegExp]>([
    ['hangs', hang, 'timeout', /no answer within 0.3 s/],
    ['answers garbage', garbage, 'failed', /did not return JSON/],
    ['answers 500', status(500), 'failed', /answered 500/],
  ])(
    'that %s fails its part of an element; the operation ends and both say why',
    async (name, fault, code, message) => {
      const id = name.replaceAll(' ', '-');
      server.faults.push(fault);
      const record = await client.write('POST', `/imgs/${id}`, { src_path: 'p.png' });
      expect(record).toMatchObject({ is_finished: true, num_good: 1, num_bad: 0, errors: [] });
      expect(record.stages[1]).toMatchObject({ num_total: 1, num_good: 0, num_bad: 1 });
      expect(record.analysis_errors).toMatchObject([{ id: 0, ref: id, kind: 'nsfw', code }]);
      expect(record.analysis_errors[0].msg).toMatch(message);
      const image = await ai(client, id);
      expect(image).toMatchObject({ aiStatus: 'failed', ai: { colors: [{ name: 'teal' }], nsfw: null } });
      const nsfw = image.ai.analyzers.find((each: { kind: string }) => each.kind === 'nsfw');
      expect(nsfw).toMatchObject({ isOk: false, errorCode: code, errorMessage: expect.stringMatching(message) });
    },
  );

  it('that is well again is asked again by analyzeImages, for what failed alone', async () => {
    server.asked.length = 0;
    await client.graphql('mutation { analyzeImages(q: "ai_status:failed", wait: true) { __typename } }');
    expect(server.asked).toHaveLength(3);
    expect(await ai(client, 'hangs')).toMatchObject({ aiStatus: 'ready', ai: { nsfw: 0.03 } });
    await client.graphql('mutation { analyzeImages(ids: ["hangs"], wait: true) { __typename } }');
    expect(server.asked).toHaveLength(3);
  });
});

describe('the built-in analyzer', () => {
  it('reads the text that a model fails to read, says so, and the model is asked again for stale records', async () => {
    const world = await openFaultyWorld(300, {
      serves: ['ocr', 'nsfw'],
      builtin: { ...builtin, ocr: '1' },
      fallsBack: true,
    });
    const client = await world.client();
    const seen = async () => {
      const query = `{ image(id: "a") { aiStatus ai { text { text }
        analyzers { kind analyzer isOk } warnings { analyzer code message } } } }`;
      const { aiStatus, ai: found } = (await client.graphql(query)).data.image;
      const ocr = found.analyzers.find((each: { kind: string }) => each.kind === 'ocr');
      return { aiStatus, text: found.text.text, origin: ocr.analyzer, isOk: ocr.isOk, warnings: found.warnings };
    };
    const model = 'Qwen/Qwen2.5-VL-7B-Instruct';
    // Two models are asked in any order, and the built-in analyzer cannot replace one of them.
    server.faults.push(status(500), status(500));
    const record = await client.write('POST', '/imgs/a', { src_path: 'p.png' });
    expect(record.analysis_errors).toMatchObject([{ kind: 'nsfw' }]);
    expect(await seen()).toMatchObject({ aiStatus: 'failed', text: '', origin: 'builtin', isOk: true });
    server.faults.push((response, asked) => status(asked.path.includes('chat') ? 500 : 200, safe)(response, asked));
    server.faults.push((response, asked) => status(asked.path.includes('chat') ? 500 : 200, safe)(response, asked));
    await client.graphql('mutation { analyzeImages(q: "ai_status:failed", wait: true) { __typename } }');
    const message = `The built-in analyzer gave ocr, because the model failed: ${model} answered 500`;
    const warnings = [{ analyzer: 'ocr', code: 'fallback_used', message }];
    expect(await seen()).toEqual({ aiStatus: 'stale', text: '', origin: 'builtin', isOk: true, warnings });
    await client.graphql('mutation { analyzeImages(q: "ai_status:stale", wait: true) { __typename } }');
    const text = 'NO PARKING\n24 hours';
    expect(await seen()).toEqual({ aiStatus: 'ready', text, origin: `huggingface:${model}`, isOk: true, warnings: [] });
    await world.close();
  });
});

describe('a spent budget', () => {
  it('leaves what models would find to the built-in analyzer, which the record says, until there is room again', async () => {
    let hasRoom = false;
    const asked: unknown[] = [];
    const spend: SpendCall = async (owner, capability) => {
      asked.push(typeof owner, capability);
      return hasRoom;
    };
    const world = await openFaultyWorld(300, { serves: ['ocr'], builtin: { ...builtin, ocr: '1' }, spend });
    const client = await world.client();
    const seen = async () => {
      const query = `{ image(id: "a") { aiStatus ai { analyzers { kind analyzer isOk } warnings { code message } } } }`;
      const { aiStatus, ai: found } = (await client.graphql(query)).data.image;
      const { analyzer, isOk } = found.analyzers.find((each: { kind: string }) => each.kind === 'ocr');
      return { aiStatus, analyzer, isOk, warnings: found.warnings };
    };
    await client.write('POST', '/imgs/a', { src_path: 'p.png' });
    const message = expect.stringContaining('the budget of the day for models is spent');
    const warnings = [{ code: 'fallback_used', message }];
    expect(await seen()).toEqual({ aiStatus: 'stale', analyzer: 'builtin', isOk: true, warnings });
    expect(asked).toEqual(['number', 'ocr']);
    hasRoom = true;
    await client.graphql('mutation { analyzeImages(q: "ai_status:stale", wait: true) { __typename } }');
    const analyzer = 'huggingface:Qwen/Qwen2.5-VL-7B-Instruct';
    expect(await seen()).toEqual({ aiStatus: 'ready', analyzer, isOk: true, warnings: [] });
    await world.close();
  });
});

const safe = [{ label: 'normal', score: 1 }];

describe('a picture', () => {
  it('that is another file by the time of its analysis is not taken for the stored one', async () => {
    const world = await openFaultyWorld();
    const client = await world.client();
    await client.write('POST', '/imgs/changing', { src_path: 'p.png' });
    await world.picture('p.png', { color: 'navy' });
    const result = await client.graphql(`mutation { analyzeImages(ids: ["changing"], force: true, wait: true) {
      ... on Operation { numGood analysisErrors { code kind msg } } } }`);
    expect(result.data.analyzeImages).toMatchObject({
      numGood: 1,
      analysisErrors: [
        {
          code: 'source_unreachable',
          kind: null,
          msg: expect.stringContaining('the file at the source has changed'),
        },
      ],
    });
    expect(await ai(client, 'changing')).toMatchObject({ aiStatus: 'failed', ai: { colors: [{ name: 'teal' }] } });
    await world.close();
  });

  it(
    'whose analysis kills every worker fails alone after three tries; each of the others is analyzed once',
    full,
    async () => {
      const world = await openWorld({ worker: false });
      const client = await world.client();
      await world.picture('p.png');
      await world.picture('killer.png', { width: 50, height: 50 });
      let current: Run | null = null;
      let deaths = 0;
      let isOver = false;
      const killer: Fault = async (response, { body }) => {
        const { width } = await sharp(body).metadata();
        if (width === 50) current?.child.kill('SIGKILL');
        else response.writeHead(200, { 'Content-Type': 'application/json' }).end('[{"label":"normal","score":1}]');
      };
      server.faults.push(...Array.from({ length: 500 }, () => killer));
      const supervised = (async () => {
        while (!isOver) {
          current = await startWorkerProcess(world, {
            AI_ANALYSIS: 'on',
            AI_NSFW_PROVIDER: 'huggingface',
            HF_ENDPOINT: server.endpoint,
          });
          await current.ended;
          deaths += 1;
        }
      })();
      const elements = Array.from({ length: 6 }, (_, i) => ({
        id: `e${i}`,
        src_path: i === 3 ? 'killer.png' : 'p.png',
      }));
      const id = await send(client, 'POST', '/imgs', elements);
      const record = await finished(client, id, 180_000);
      expect(record).toMatchObject({ num_good: 6, num_bad: 0, is_aborted: false });
      expect(record.stages[1]).toMatchObject({ num_total: 6, num_good: 5, num_bad: 1 });
      const msg = "internal: the service ended 3 times while it analyzed this picture; it is not retried (id 'e3')";
      expect(record.analysis_errors).toEqual([{ id: 3, ref: 'e3', kind: null, analyzer: null, code: 'internal', msg }]);
      expect(deaths).toBe(4);
      expect((await ai(client, 'e3')).aiStatus).toBe('failed');
      expect((await ai(client, 'e2')).aiStatus).toBe('ready');
      isOver = true;
      (current as Run | null)?.child.kill('SIGTERM');
      await supervised;
      await world.close();
    },
  );
});

describe('an analysis that a worker leaves', () => {
  it('goes on in another one, with counters that are exact', async () => {
    const world = await openFaultyWorld(30_000); // Nothing is to fail here, however busy the machine.
    const client = await world.client();
    const elements = Array.from({ length: 60 }, (_, i) => ({ id: `e${i}`, src_path: 'p.png' }));
    const first = world.startWorker();
    const id = await send(client, 'POST', '/imgs', elements);
    await first.close();
    const record = await finished(client, id, 60_000);
    expect(record.stages).toMatchObject([
      { num_total: 60, num_good: 60, num_bad: 0 },
      { num_total: 60, num_good: 60, num_bad: 0 },
    ]);
    await world.close();
  }, 90_000);
});
