import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { corpusFolder, noCorpus } from '../support/corpus.ts';
import { analyzerThat } from '../support/analyzers.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { firstOf, full } from '../support/effort.ts';

let world: World;
let client: Client;
let media: Server;
let mediaUrl: string;
const files: Record<string, Buffer> = {};

beforeAll(async () => {
  world = await openWorld({ worker: false, sourceAllow: '127.0.0.0/8' });
  client = await world.client({ role: 'tagger' });
  media = createServer((request, response) => {
    const file = files[request.url?.slice(1) ?? ''];
    if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'Content-Type': 'text/plain' }).end(file);
  });
  await new Promise<void>((resolve) => media.listen(0, '127.0.0.1', resolve));
  mediaUrl = `http://127.0.0.1:${(media.address() as AddressInfo).port}`;
  files['teal.png'] = await sharp({ create: { width: 64, height: 48, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
});
afterAll(async () => {
  media.closeAllConnections();
  media.close();
  await world.close();
});

type Fields = Readonly<Record<string, string | Buffer>>;

async function tag(fields: Fields, own = world, by = client) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    form.append(name, typeof value === 'string' ? value : new Blob([new Uint8Array(value)], { type: 'text/plain' }));
  }
  const answer = await fetch(`${own.url}/tag/image`, { method: 'POST', body: form, headers: { 'API-Key': by.key } });
  return { status: answer.status, body: (await answer.json()) as any };
}

const corpus = (file: string) => readFileSync(join(corpusFolder, file));
const everything = { caption: '1', keywords: '1', ocr: '1', colors: '1' };

describe('a picture that is tagged', () => {
  it('gives what is asked for; what is not is null, and what is not found is empty', async () => {
    const image = files['teal.png'] as Buffer;
    const { status, body } = await tag({ image, colors: 'true' });
    expect(status).toBe(200);
    expect(body).toEqual({
      caption: null,
      keywords: null,
      keyword_scores: null,
      ocr: null,
      colors: [{ name: 'teal', hex: '#008080', percent: 100 }],
      is_bw: false,
      lang: 'en',
      mode: 'editorial',
      model: { caption: null, keywords: null, ocr: null, colors: expect.stringMatching(/^builtin /) },
      elapsed_ms: expect.any(Number),
      warnings: [],
    });
    const read = await tag({ image, ocr: 'true' });
    expect(read.body.ocr).toEqual({ text: '', blocks: [] });
  });

  it('in which nothing is recognized has an empty caption in every language, and a warning instead of filler', async () => {
    for (const lang of firstOf(2, ['en', 'ru', 'es', 'pt', 'fr'])) {
      const { body } = await tag({ image: files['teal.png'] as Buffer, lang, city: 'Rome', caption: '1' });
      expect([body.caption, body.warnings]).toEqual(['', ['nothing_recognized']]);
    }
  });

  it('comes from an address as well, whatever type the server declares', async () => {
    const { status, body } = await tag({ image_url: `${mediaUrl}/teal.png`, colors: 'true' });
    expect([status, body.colors?.[0]?.name]).toEqual([200, 'teal']);
  });

  it('without any output is decoded and gives a warning', async () => {
    const { status, body } = await tag({ image: files['teal.png'] as Buffer });
    expect([status, body.warnings, body.colors]).toEqual([200, ['no_output_requested'], null]);
  });

  it('is answered in English where nobody speaks the language, and says so', async () => {
    const { body } = await tag({ image: files['teal.png'] as Buffer, lang: 'de', caption: 'true' });
    expect([body.lang, body.warnings]).toEqual(['en', ['language_unavailable', 'nothing_recognized']]);
  });

  it('leaves nothing on disk, neither when it is read nor when it is refused', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vitrine-tmp-'));
    vi.stubEnv('TMPDIR', folder);
    expect(tmpdir()).toBe(folder);
    await tag({ image: files['teal.png'] as Buffer, colors: '1' });
    await tag({ image: Buffer.from('no picture') });
    vi.unstubAllEnvs();
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });
});

describe.skipIf(noCorpus)(`real pictures${noCorpus ? ` (${noCorpus})` : ''}`, () => {
  it('give everything at once', async () => {
    const context = { city: 'Vigo', country: 'Spain', event: 'Regatta', date: '2024-05-01' };
    const { status, body } = await tag({ image: corpus('originals/p09-cameraman.jpg'), ...everything, ...context });
    expect(status).toBe(200);
    expect(body.keywords).toContain('person');
    expect(body.keyword_scores[0]).toEqual({
      keyword: body.keywords[0],
      confidence: expect.any(Number),
      origin: expect.any(String),
      source: expect.any(String),
    });
    expect(body.caption).toMatch(/person/);
    expect(body.caption).toMatch(/Vigo/);
    expect(body.is_bw).toBe(true);
    expect(body.model.keywords).toMatch(/^builtin /);
  }, 60_000);

  it.each(
    firstOf(1, [
      ['ru', 'человек'],
      ['es', 'persona'],
      ['fr', 'personne'],
      ['pt', 'pessoa'],
    ] as const),
  )(
    'have keywords and captions in %s',
    async (lang, word) => {
      const { body } = await tag({ image: corpus('originals/p09-cameraman.jpg'), lang, caption: '1', keywords: '1' });
      expect(body.lang).toBe(lang);
      expect(body.keywords).toContain(word);
      expect(body.caption.length).toBeGreaterThan(5);
    },
    60_000,
  );

  it('have their text read with places', async () => {
    const { body } = await tag({ image: corpus('text/t01-en.jpg'), ocr: '1' });
    expect(body.ocr.text.length).toBeGreaterThan(3);
    for (const { box, confidence, lang } of body.ocr.blocks) {
      for (const side of [box.x, box.y, box.x + box.w, box.y + box.h]) expect(side).toBeGreaterThanOrEqual(0);
      for (const side of [box.x + box.w, box.y + box.h]) expect(side).toBeLessThanOrEqual(1.001);
      expect([confidence > 0 && confidence <= 1, lang]).toEqual([true, 'en']);
    }
  }, 60_000);
});

describe('what is no picture', () => {
  const at = (name: string, type: string) => [
    { type, loc: ['body', name], msg: expect.any(String), input: expect.anything() },
  ];

  it.each([
    ['text', Buffer.from('no picture'), 415, 'unsupported_media'],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 415, 'unsupported_media'],
  ])('%s is refused by its content: 415', async (_name, image, status, code) => {
    const answer = await tag({ image, colors: '1' });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it('a broken picture is 422 at the field that sent it', async () => {
    const image = (files['teal.png'] as Buffer).subarray(0, 60);
    const sent = await tag({ image, colors: '1' });
    expect(sent.status).toBe(422);
    expect(sent.body.detail).toMatchObject([{ type: 'decode_failed', loc: ['body', 'image'] }]);
    files['broken.png'] = image;
    const fetched = await tag({ image_url: `${mediaUrl}/broken.png`, colors: '1' });
    expect([fetched.status, fetched.body.detail]).toEqual([422, at('image_url', 'decode_failed')]);
  });

  it.each([
    ['no address', 'not a url', 'invalid_field'],
    ['an address of another kind', 'ftp://example.org/a.jpg', 'source_forbidden'],
    ['a file of the machine', 'file:///etc/passwd', 'source_forbidden'],
    ['a private address', 'http://10.0.0.1/a.jpg', 'source_forbidden'],
  ])('%s is 422', async (_name, url, type) => {
    const { status, body } = await tag({ image_url: url, colors: '1' });
    expect([status, body.detail]).toEqual([422, at('image_url', type)]);
  });

  it('an address where nothing is is 422', async () => {
    const { status, body } = await tag({ image_url: `${mediaUrl}/nothing.png`, colors: '1' });
    expect([status, body.detail]).toEqual([422, at('image_url', 'source_unreachable')]);
  });

  it('more than 25 MiB, and more than 100 megapixels, are 413', full, async () => {
    const large = await tag({ image: Buffer.alloc(25 * 2 ** 20 + 1), colors: '1' });
    expect([large.status, large.body.code]).toEqual([413, 'too_large']);
    const many = await sharp({ create: { width: 11_000, height: 10_000, channels: 3, background: 'teal' } })
      .png()
      .toBuffer();
    const wide = await tag({ image: many, colors: '1' });
    expect([wide.status, wide.body.code]).toEqual([413, 'too_large']);
  });
});

describe('a provider that fails', () => {
  const failing = (code: 'failed' | 'timeout') =>
    openWorld({
      worker: false,
      imageAnalyzer: analyzerThat(
        async () => ({
          outcomes: {
            caption: {
              analyzer: 'huggingface:own/model',
              version: '1',
              milliseconds: 1,
              error: { code, message: 'answered 500' },
            },
          },
        }),
        { caption: '1' },
      ),
    });

  it.each([
    ['failed', 502, 'provider_failed'],
    ['timeout', 504, 'timeout'],
  ] as const)('by %s is %i', async (code, status, word) => {
    const own = await failing(code);
    const answer = await tag({ image: files['teal.png'] as Buffer, caption: '1' }, own, await own.client());
    expect([answer.status, answer.body.code]).toEqual([status, word]);
    await own.close();
  });
});

describe('tagImage over GraphQL', () => {
  const query = `mutation ($image: Upload, $url: String) { tagImage(image: $image, imageUrl: $url, colors: true, faces: true, objects: true) {
    colors { name } faces { confidence box { x } } objects { label box { x y w h } } model { colors faces } } }`;

  async function upload(operations: unknown, map: unknown, image: Buffer | null, key = client.key, type?: string) {
    const form = new FormData();
    form.append('operations', typeof operations === 'string' ? operations : JSON.stringify(operations));
    form.append('map', typeof map === 'string' ? map : JSON.stringify(map));
    if (image !== null) form.append('0', new Blob([new Uint8Array(image)]), 'a.png');
    const headers = { 'API-Key': key, ...(type && { Accept: type }) };
    const answer = await fetch(`${world.url}/graphql`, { method: 'POST', body: form, headers });
    return { status: answer.status, body: (await answer.json()) as any };
  }

  it('takes a file as the multipart specification sends it, again and again', async () => {
    for (let i = 0; i < 2; i += 1) {
      const { status, body } = await upload(
        { query, variables: { image: null } },
        { 0: ['variables.image'] },
        files['teal.png'] as Buffer,
      );
      expect([status, body.errors]).toEqual([200, undefined]);
      expect(body.data.tagImage).toMatchObject({ colors: [{ name: 'teal' }], faces: [], objects: [] });
      expect(body.data.tagImage.model.faces).toMatch(/^builtin /);
    }
  }, 60_000);

  it('takes an address by JSON', async () => {
    const { data } = await client.graphql(query, { url: `${mediaUrl}/teal.png` });
    expect(data.tagImage.colors).toEqual([{ name: 'teal' }]);
  });

  it.each([
    ['neither', {}, 'invalid_input_combination'],
    ['a text for a file', { image: 'x' }, 'invalid_argument'],
  ])('refuses %s', async (_name, variables, code) => {
    const { errors } = await client.graphql(query, variables);
    expect(errors?.[0]?.extensions['code']).toBe(code);
  });

  it.each([
    ['operations that are no JSON', '{', { 0: ['variables.image'] }],
    ['a map that is no object', { query, variables: { image: null } }, []],
    ['a path to nowhere', { query, variables: { image: null } }, { 0: ['variables.other'] }],
    ['a path into prototypes', { query, variables: {} }, { 0: ['variables.__proto__.x'] }],
    ['a path to something else', { query, variables: { image: 'x' } }, { 0: ['variables.image'] }],
    ['several operations', [{ query }], { 0: ['variables.image'] }],
  ])('refuses a request with %s: 400', async (_name, operations, map) => {
    const { status, body } = await upload(operations, map, files['teal.png'] as Buffer);
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'invalid_argument']);
  });

  it('keeps documents to the limits and the rules of GraphQL', async () => {
    const wrong = await upload({ query: 'mutation { nothing }' }, {}, null);
    expect(wrong.body.errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    const deep = await upload({ query: `{ ${'a '.repeat(5000)} }` }, {}, null);
    expect(deep.body.errors[0].extensions.code).toBe('document_too_complex');
  });

  it('asks for a key that may tag', async () => {
    const body = [
      { query, variables: { image: null } },
      { 0: ['variables.image'] },
      files['teal.png'] as Buffer,
    ] as const;
    expect((await upload(...body, 'wrong')).status).toBe(401);
    const viewer = await world.client({ role: 'viewer' });
    expect((await upload(...body, viewer.key)).body.errors[0].extensions).toMatchObject({ code: 'forbidden' });
  });
});
