import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createHuggingFace } from '../../../src/analysis/providers/huggingface/index.ts';
import type { HuggingFaceOptions } from '../../../src/analysis/providers/huggingface/index.ts';
import { callLimits } from '../../../src/analysis/providers/huggingface/limits.ts';
import { remoteCapabilities } from '../../../src/analysis/providers/huggingface/models.ts';
import type { Warning } from '../../../src/analysis/index.ts';
import type { Capability, ModelPicture, Provider, ProviderOptions } from '../../../src/analysis/providers/provider.ts';
import { timed } from '../../support/effort.ts';
import {
  cut,
  garbage,
  hang,
  html,
  huge,
  loading,
  openInferenceServer,
  refuse,
  says,
  status,
} from './inference-server.ts';
import type { InferenceServer } from './inference-server.ts';

let server: InferenceServer;
let picture: ModelPicture;
beforeAll(async () => {
  server = await openInferenceServer();
  const jpeg = await sharp({ create: { width: 64, height: 48, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer();
  picture = { jpeg, width: 64, height: 48 };
});
afterAll(() => server.close());
beforeEach(() => {
  server.asked.length = 0;
  server.faults.length = 0;
});

const labels = (en: string) => ({ en, es: `${en}-es`, pt: `${en}-pt`, fr: `${en}-fr`, ru: `${en}-ru` });
const quick = { ...callLimits, attemptMs: 300, pauseMs: 5, maxPauseMs: 2000, maxBytes: 2 ** 20, restMs: 100 };

function provider(models: HuggingFaceOptions['models'] = {}, more: Partial<HuggingFaceOptions> = {}): Provider {
  const candidates = ['dog', 'beach', 'car'].map(labels);
  const { endpoint } = server;
  return createHuggingFace({
    serves: remoteCapabilities,
    models,
    token: 'hf_secret',
    endpoint,
    candidates,
    limits: quick,
    ...more,
  });
}

function ask(from: Provider, capability: Capability, options: Partial<ProviderOptions> = {}) {
  const signal = new AbortController().signal;
  const model = from.models[capability];
  if (model === undefined) throw new Error(`no model for ${capability}`);
  return model.run(picture, { langs: ['en', 'es'], context: {}, signal, ...options });
}

describe('a budget', () => {
  it('is asked before each call for who pays, and without room for it nothing is sent', timed, async () => {
    const paid: unknown[] = [];
    const spend: HuggingFaceOptions['spend'] = async (...call) => paid.push(call) < 3;
    const from = provider({}, { spend, limits: { ...quick, failuresInRow: 1 } });
    await ask(from, 'caption', { owner: 7 });
    await from.embedText?.('a dog', new AbortController().signal, 8);
    const sent = server.asked.length;
    const spent = {
      code: 'budget_spent',
      message: expect.stringContaining('the budget of the day for models is spent'),
    };
    await expect(ask(from, 'caption', { owner: 7 })).rejects.toMatchObject(spent);
    await expect(ask(from, 'caption', { owner: 7 })).rejects.toMatchObject(spent);
    expect(server.asked).toHaveLength(sent);
    expect(paid).toEqual([[7, 'caption'], [8, 'embedding'], [7, 'caption'], [7, 'caption']]); // prettier-ignore
    expect(from.costs()['Qwen/Qwen2.5-VL-7B-Instruct']).toMatchObject({ requests: 1, refused: 2, failures: 0 });
  });
});

describe('each capability', () => {
  it('captions in the languages that are asked for, by a model that reads pictures and words', async () => {
    const from = provider({}, { limits: quick });
    const caption = await ask(from, 'caption', { context: { city: 'Vigo' } });
    expect(caption).toEqual({ en: 'A dog runs.', es: 'Un perro corre.' });
    const [{ path, headers, json } = { path: '', headers: {}, json: null }] = server.asked;
    expect(path).toContain('/v1/chat/completions');
    expect(headers.authorization).toBe('Bearer hf_secret');
    expect(json.messages[0].content[0].text).toContain('city: "Vigo"');
    expect(from.costs()['Qwen/Qwen2.5-VL-7B-Instruct']).toMatchObject({ requests: 1, tokensIn: 700, tokensOut: 30 });
  });

  it('captions in English by a captioner', async () => {
    const from = provider({ caption: 'image-to-text:Salesforce/blip-image-captioning-base' });
    expect(await ask(from, 'caption')).toEqual({ en: 'a dog on a beach' });
    expect(server.asked[0]?.path).toBe('/models/Salesforce/blip-image-captioning-base?task=image-to-text');
    expect(from.models.caption?.name).toBe('huggingface:Salesforce/blip-image-captioning-base');
  });

  it('finds keywords among the candidates, with their names in every language', async () => {
    expect(await ask(provider(), 'keywords')).toEqual([
      { labels: labels('dog'), confidence: 0.81, source: 'model' },
      { labels: labels('beach'), confidence: 0.14, source: 'model' },
    ]);
    expect(server.asked[0]?.json.parameters).toEqual({ candidate_labels: ['dog', 'beach', 'car'] });
  });

  it('takes keywords from a model that reads pictures and words; a missing name is the English one', async () => {
    const concepts = await ask(provider({ keywords: 'image-text-to-text:own/vlm' }), 'keywords');
    expect(concepts).toMatchObject([
      { labels: { en: 'dog', es: 'perro', pt: 'dog', fr: 'chien', ru: 'dog' }, source: 'model' },
      { labels: { en: 'beach', ru: 'beach' }, source: 'model' },
    ]);
  });

  it('reads text line by line', async () => {
    const read = await ask(provider(), 'ocr');
    expect(read).toMatchObject({ text: 'NO PARKING\n24 hours', lines: [{ text: 'NO PARKING' }, { text: '24 hours' }] });
    expect(await ask(provider({ ocr: 'image-to-text:own/trocr' }), 'ocr')).toMatchObject({ text: 'a dog on a beach' });
  });

  it('embeds pictures and words as directions of the same length', async () => {
    const from = provider();
    const ofPicture = (await ask(from, 'embedding')) as Int8Array;
    const ofWords = await from.embedText?.('a dog', new AbortController().signal);
    expect(ofPicture).toEqual(Int8Array.from({ length: 16 }, (_, i) => Math.round(((i - 8) / 8) * 127)));
    expect(ofWords).toEqual(ofPicture);
    expect(await from.embedText?.('flat', new AbortController().signal)).toEqual(ofPicture);
    expect(server.asked.map(({ path }) => path.split('task=')[1])).toEqual([
      'image-feature-extraction',
      'feature-extraction',
      'feature-extraction',
    ]);
  });

  it('rates how unsafe a picture is', async () => {
    expect(await ask(provider(), 'nsfw')).toEqual({ isNsfw: false, confidence: 0.03 });
  });

  it('is served only where it is configured, by a task that can give it', () => {
    expect(Object.keys(provider({}, { serves: ['nsfw'] }).models)).toEqual(['nsfw']);
    expect(() => provider({ nsfw: 'image-to-text:own/model' })).toThrow('image-to-text cannot give nsfw');
  });
});

describe('a caption that a tenant has rules for', () => {
  const rules = {
    style: 'Present tense, no adjectives',
    langs: ['en', 'es'],
    words: 4,
    forbidden: ['canine'],
  } as const;
  const asWanted = { en: 'A dog runs.', es: 'Un perro corre.' };

  /** Answers in turn; what comes of them, with the warnings and what the model was asked. */
  async function answered(...answers: (string | object)[]) {
    server.faults.push(...answers.map(says));
    const warnings: Warning[] = [];
    const caption = await ask(provider(), 'caption', {
      langs: ['ru', 'es', 'en'],
      context: { date: '2026-05-01', city: 'Vigo', event: 'May Day' },
      captionRules: rules,
      warn: (warning) => warnings.push(warning),
    });
    return { caption, warnings, asked: server.asked.map(({ json }) => json.messages) };
  }

  it('is asked for in their style, languages and length, with what the record knows', async () => {
    const { caption, warnings, asked } = await answered(asWanted);
    expect([caption, warnings]).toEqual([asWanted, []]);
    expect(asked).toHaveLength(1);
    const prompt = asked[0][0].content[0].text;
    for (const part of [
      'Write in this house style: Present tense, no adjectives',
      'Use at most 4 words.',
      'Never use these words: canine.',
      'date: "2026-05-01", city: "Vigo", event: "May Day"',
      'the sentence by language: "es" (Spanish), "en" (English).',
    ]) {
      expect(prompt).toContain(part);
    }
  });

  it.each([
    ['a language is missing', { en: 'A dog runs.' }, '"es" is missing'],
    ['one is another language', { ...asWanted, es: 'The dog of a child.' }, '"es" is written in another language'],
    ['it is too long', { ...asWanted, en: 'A dog runs on wet sand.' }, '"en" has 6 words, and 4 are allowed'],
    ['it has a forbidden word', { ...asWanted, en: 'One Canine runs.' }, '"en" has the forbidden word "canine"'],
    ['it is no JSON', 'A dog runs.', 'the answer is not a JSON object'],
    ['it is JSON of another shape', ['A dog runs.'], 'the answer is not a JSON object'],
  ])('where %s, the model is told so once and corrects it', async (_name, first, fault) => {
    const { caption, warnings, asked } = await answered(first, asWanted);
    expect([caption, warnings]).toEqual([asWanted, []]);
    expect(asked).toHaveLength(2);
    expect(asked[1].slice(0, 1)).toEqual(asked[0]);
    expect(asked[1].slice(1)).toEqual([
      { role: 'assistant', content: typeof first === 'string' ? first : JSON.stringify(first) },
      { role: 'user', content: expect.stringContaining(fault) },
    ]);
  });

  it('that is still wrong then is left out, with the reason; what was right in either answer stays', async () => {
    const long = 'A dog runs on wet sand.';
    const { caption, warnings, asked } = await answered(
      { en: long, es: 'Un perro corre.' },
      { en: long, es: 'x '.repeat(9) },
    );
    expect(caption).toEqual({ es: 'Un perro corre.' });
    expect(warnings).toEqual([
      { code: 'caption_refused', message: 'Generated captions were not kept: "en" has 6 words, and 4 are allowed' },
    ]);
    expect(asked).toHaveLength(2);
  });

  it('fails if neither answer is one', async () => {
    server.faults.push(says('What a picture!'), says('A dog!'));
    await expect(ask(provider(), 'caption')).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('returned no captions'),
    });
    expect(server.asked).toHaveLength(2);
  });

  it('counts each answer against the budget, and a spent one ends it', async () => {
    let left = 1;
    const from = provider({}, { spend: async () => (left -= 1) >= 0 });
    server.faults.push(says({ en: 'A dog runs on wet sand.' }));
    await expect(ask(from, 'caption', { captionRules: rules })).rejects.toMatchObject({ code: 'budget_spent' });
    expect(server.asked).toHaveLength(1);
  });
});

describe('texts that are asked for together', () => {
  const signal = new AbortController().signal;
  const texts = ['a dog', 'a beach', 'a mountain'];
  const inputs = () => server.asked.map(({ json }) => json.inputs);
  const embedAll = (from: Provider, all: readonly string[], owner?: number) =>
    Promise.all(all.map((text) => from.embedText?.(text, signal, owner)));

  it('share a request, each of them once, which counts once against the budget', async () => {
    const paid: unknown[] = [];
    const from = provider({}, { spend: async (...call) => paid.push(call) > 0 });
    const alone = [];
    for (const text of texts) alone.push(await from.embedText?.(text, signal, 7));
    server.asked.length = paid.length = 0;
    expect(await embedAll(from, [...texts, 'a dog'], 7)).toEqual([...alone, alone[0]]);
    expect(inputs()).toEqual([texts]);
    expect(paid).toEqual([[7, 'embedding']]);
    expect(from.costs()['openai/clip-vit-base-patch32']).toMatchObject({ requests: 4 });
  });

  it('do so within the limit of a request, and those of another tenant in its own', async () => {
    const from = provider({}, { limits: { ...quick, texts: 2 } });
    await Promise.all([embedAll(from, texts, 1), embedAll(from, ['a cat'], 2)]);
    expect(inputs()).toHaveLength(3);
    expect(inputs()).toEqual(expect.arrayContaining([['a dog', 'a beach'], 'a mountain', 'a cat']));
  });

  it.each([
    ['refuses them', status(422, { error: 'inputs must be a text' })],
    ['stumbles over them', status(500)],
    ['answers with one vector', status(200, [Array.from({ length: 16 }, () => 0.5)])],
  ])('are asked for one by one where the endpoint %s, and from then on at once', async (_name, fault) => {
    const from = provider();
    server.faults.push(fault);
    expect(await embedAll(from, texts)).toHaveLength(3);
    expect(inputs()).toEqual([texts, ...texts]);
    server.asked.length = 0;
    await embedAll(from, ['a dog', 'a cat']);
    expect(inputs()).toEqual(['a dog', 'a cat']);
  });

  it('fail alone: a text that no endpoint takes leaves the others theirs, and requests go on being shared', async () => {
    const from = provider({}, { limits: { ...quick, parallel: 1 } });
    server.faults.push(status(400), status(400));
    const settled = await Promise.allSettled(texts.map((text) => from.embedText?.(text, signal)));
    expect(settled.map((each) => each.status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    server.asked.length = 0;
    await embedAll(from, texts);
    expect(inputs()).toEqual([texts]);
  });

  it('fail together when the model cannot be had, without asking for each', async () => {
    server.faults.push(status(401));
    await expect(embedAll(provider(), texts)).rejects.toThrow('answered 401');
    expect(server.asked).toHaveLength(1);
    let hasRoom = false;
    const from = provider({}, { spend: async () => hasRoom });
    await expect(embedAll(from, texts)).rejects.toMatchObject({ code: 'budget_spent' });
    hasRoom = true;
    expect(await embedAll(from, texts)).toHaveLength(3);
  });

  it('are waited for by each on its own: one that leaves is told at once, and the others get theirs', async () => {
    const from = provider();
    const leaving = new AbortController();
    server.faults.push((response) =>
      setTimeout(() => {
        leaving.abort(new Error('gone'));
        response.writeHead(200, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify([1, 2].map((k) => Array.from({ length: 16 }, () => k))));
      }, 20),
    );
    const [gone, stayed] = [from.embedText?.('a dog', leaving.signal), from.embedText?.('a cat', signal)];
    await expect(gone).rejects.toThrow('gone');
    expect(await stayed).toHaveLength(16);
    expect(server.asked).toHaveLength(1);
  });
});

describe('a former embedding model', () => {
  it('embeds by its own name, as long as an endpoint has several models', async () => {
    const from = provider({ embedding: 'own/new' });
    const former = from.embeddingModel?.('huggingface:own/old image-feature-extraction');
    const { signal } = new AbortController();
    await former?.embedText?.('a dog', signal);
    await former?.model.run(picture, { langs: ['en'], context: {}, signal });
    expect(server.asked.map(({ path }) => path)).toEqual([
      '/models/own/old?task=feature-extraction',
      '/models/own/old?task=image-feature-extraction',
    ]);
    expect(from.embeddingModel?.('local:own 1')).toBeNull();
    const dedicated = provider({}, { endpoints: { embedding: 'http://127.0.0.1:9/embed' } });
    expect(dedicated.embeddingModel?.('huggingface:own/old image-feature-extraction')).toBeNull();
  });
});

describe('a way to a model', () => {
  it('is the dedicated endpoint of its capability, if one is set', async () => {
    const other = await openInferenceServer();
    const from = provider({}, { endpoints: { nsfw: other.endpoint } });
    await ask(from, 'nsfw');
    await ask(from, 'keywords');
    await other.close();
    expect([other.asked.length, server.asked.length]).toEqual([1, 1]);
  });

  it('is the proxy that is set, with the same answers and attempts', async () => {
    // The server takes whole addresses, as a proxy does; nobody else knows the host.
    const endpoint = 'http://models.invalid/models/{model}?task={task}';
    const proxies = { https: undefined, http: new URL(server.endpoint).origin, none: [] };
    const from = provider({}, { endpoint, proxies });
    server.faults.push(loading, refuse);
    expect(await ask(from, 'nsfw')).toEqual({ isNsfw: false, confidence: 0.03 });
    expect(server.asked).toHaveLength(3);
    expect(server.asked[2]?.path).toMatch(/^http:\/\/models\.invalid\/models\/Falconsai/);
    expect(await ask(from, 'caption')).toMatchObject({ en: 'A dog runs.' });
  });

  it('is said to be missing if the setting is no proxy', async () => {
    const proxies = { https: undefined, http: 'socks5://proxy:1080', none: [] };
    await expect(ask(provider({}, { proxies }), 'nsfw')).rejects.toMatchObject({
      code: 'not_available',
      message: expect.stringContaining('HTTP_PROXY is not an HTTP proxy'),
    });
  });
});

describe('a fault that may pass', () => {
  it.each([
    ['a model that is being loaded', [loading, loading]],
    ['too many requests', [status(429), status(429)]],
    ['a connection that is refused', [refuse]],
    ['a connection that is cut', [cut]],
    ['a gateway that finds no one', [status(502), status(504)]],
  ])('%s is asked again', async (_name, faults) => {
    server.faults.push(...faults);
    const from = provider();
    expect(await ask(from, 'nsfw')).toMatchObject({ isNsfw: false });
    const cost = from.costs()['Falconsai/nsfw_image_detection'];
    expect(cost).toMatchObject({ requests: faults.length + 1, retries: faults.length, failures: 0 });
    expect(cost?.bytesSent).toBe(picture.jpeg.length * (faults.length + 1));
  });

  it('Retry-After is honored', async () => {
    server.faults.push(status(429, {}, { 'Retry-After': '0.4' }));
    const began = performance.now();
    await ask(provider(), 'nsfw');
    expect(performance.now() - began).toBeGreaterThan(390);
  });

  it('Retry-After beyond our patience ends the call at once', async () => {
    server.faults.push(status(429, {}, { 'Retry-After': '3600' }));
    await expect(ask(provider(), 'nsfw')).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('answered 429'),
    });
    expect(server.asked).toHaveLength(1);
  });

  it('is given up after four attempts', async () => {
    server.faults.push(loading, loading, loading, loading);
    await expect(ask(provider(), 'nsfw')).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('answered 503'),
    });
    expect(server.asked).toHaveLength(4);
  });
});

describe('a fault that stays', () => {
  it.each([
    ['500', status(500), 'failed', 'answered 500'],
    ['a wrong key', status(401, { error: 'Invalid credentials' }), 'failed', 'answered 401'],
    ['garbage for JSON', garbage, 'failed', 'did not return JSON'],
    ['a page for JSON', html, 'failed', 'an unexpected answer'],
    ['JSON of another shape', status(200, { labels: [] }), 'failed', 'an unexpected answer'],
    ['no classes', status(200, []), 'failed', 'returned no class'],
    ['an answer that hangs', hang, 'timeout', 'no answer within 0.3 s'],
    ['an answer without end', huge, 'failed', 'larger than 1 MiB'],
  ] as const)('%s fails the call and is not asked again', async (_name, fault, code, message) => {
    server.faults.push(fault);
    const from = provider();
    await expect(ask(from, 'nsfw')).rejects.toMatchObject({ name: 'ProviderError', code });
    server.faults.push(fault);
    await expect(ask(from, 'nsfw')).rejects.toThrow(message);
    expect(server.asked).toHaveLength(2);
    expect(from.costs()['Falconsai/nsfw_image_detection']).toMatchObject({ failures: 2, retries: 0 });
  });

  it.each([
    ['caption', { choices: [] }, 'no chat'],
    ['embedding', [[0.1, 'x']], 'an unexpected answer'],
    ['embedding', [[1, 2, 3]], 'not return exactly one vector'],
    ['embedding', [Array.from({ length: 16 }, () => 0)], 'a vector of zeros'],
  ] as const)('%s from %j fails', async (capability, answer, message) => {
    server.faults.push(status(200, answer));
    await expect(ask(provider(), capability)).rejects.toThrow(message);
  });

  it('says nothing of the request, which carries picture and key', async () => {
    server.faults.push(status(500, { error: 'hf_secret' }));
    const error = (await ask(provider(), 'caption').catch((fault: unknown) => fault)) as Error;
    expect(JSON.stringify({ ...error, message: error.message, cause: error.cause })).not.toMatch(/hf_secret|base64/);
  });
});

describe('a model that fails all the time', () => {
  it('is left alone for a while, then one call tries again', async () => {
    const from = provider();
    server.faults.push(...Array.from({ length: 6 }, () => status(500)));
    for (let i = 0; i < 5; i += 1) await expect(ask(from, 'nsfw')).rejects.toThrow('answered 500');
    await expect(ask(from, 'nsfw')).rejects.toMatchObject({ code: 'not_available' });
    expect(server.asked).toHaveLength(5);
    // Other models are not blamed.
    expect(await ask(from, 'keywords').catch((fault: unknown) => fault)).toMatchObject({
      message: expect.stringContaining('answered 500'),
    });
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(await ask(from, 'nsfw')).toMatchObject({ isNsfw: false });
    expect(from.costs()['Falconsai/nsfw_image_detection']).toMatchObject({ refused: 1, failures: 5, requests: 6 });
  });
});

describe('a caller', () => {
  it('who leaves ends the request, and blames nobody', async () => {
    server.faults.push(hang);
    const leaving = new AbortController();
    const from = provider();
    const asked = ask(from, 'nsfw', { signal: leaving.signal });
    setTimeout(() => leaving.abort(new Error('gone')), 50);
    await expect(asked).rejects.toThrow('gone');
    expect(from.costs()['Falconsai/nsfw_image_detection']).toMatchObject({ failures: 0 });
  });

  it('gets only so many requests under way at once', async () => {
    let running = 0;
    let most = 0;
    const slow = () => (response: Parameters<typeof hang>[0]) => {
      most = Math.max(most, (running += 1));
      setTimeout(() => {
        running -= 1;
        response.writeHead(200, { 'Content-Type': 'application/json' }).end('[{"label":"normal","score":1}]');
      }, 30);
    };
    server.faults.push(...Array.from({ length: 8 }, slow));
    const from = provider({}, { limits: { ...quick, parallel: 2 } });
    await Promise.all(Array.from({ length: 8 }, () => ask(from, 'nsfw')));
    expect(most).toBe(2);
  });
});
