import { describe, expect, it } from 'vitest';
import { decodePercent } from '../../rest/compat/urlencoded.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';
import { full } from '../support/effort.ts';

let world: SharedWorld;
let client: Client;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld({ worker: false });
  client = await world.client();
});

async function post(path: string, form: FormData | URLSearchParams, own = client) {
  const answer = await fetch(world.url + path, { method: 'POST', body: form, headers: { 'API-Key': own.key } });
  return { status: answer.status, body: (await answer.json()) as { detail: unknown; code?: string } };
}

function form(fields: Readonly<Record<string, string | Blob>>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  return data;
}

const picture = new Blob(['bytes'], { type: 'image/jpeg' });
const mebibyte = 2 ** 20;
const url = 'http://127.0.0.1:9/none.png';
/** Read as a form should be; then the picture is judged, which is none. */
const noPicture = [415, 'unsupported_media'];
const forbidden = [422, undefined];
const combination = {
  detail: 'Provide exactly one of image or image_url',
  code: 'invalid_input_combination',
  status: 400,
};

describe('POST /tag/image', () => {
  it.each<[string, Record<string, string | Blob>, unknown]>([
    ['a file', { image: picture }, noPicture],
    ['an address', { image_url: url }, forbidden],
    ['an address and an empty file field', { image_url: url, image: '' }, forbidden],
    [
      'everything',
      { image: picture, lang: 'es', mode: 'editorial', date: '2024-01-01', caption: 'on', ocr: '0' },
      noPicture,
    ],
  ])('takes %s', async (_, fields, judged) => {
    const { status, body } = await post('/tag/image', form(fields));
    expect([status, body.code]).toEqual(judged);
  });

  it('reads past what lies between ampersands, and refuses a form that has too much of it', async () => {
    const send = (body: string) =>
      client.rest('POST', '/tag/image', body, { 'Content-Type': 'application/x-www-form-urlencoded' });
    const padded = await send(`${'&'.repeat(100_000)}image_url=${encodeURIComponent(url)}&&&`);
    expect([padded.status, padded.body.code]).toEqual(forbidden);
    const { status, body } = await send('&'.repeat(5 * mebibyte));
    expect([status, body]).toEqual([413, { detail: 'A form without files is larger than 4 MiB', code: 'too_large' }]);
  });

  it('takes a megabyte of what is no text in little time', () => {
    const began = performance.now();
    expect(decodePercent('%ff'.repeat(mebibyte / 3)).length).toBe(Math.floor(mebibyte / 3));
    expect(decodePercent('%ff%é%4'.repeat(1_000))).toBe('\ufffd%é%4'.repeat(1_000));
    expect(decodePercent('%f%fg%Aa%aA%%41%')).toBe('%f%fg\ufffd\ufffd%A%');
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('takes an urlencoded form', async () => {
    const { status, body } = await post('/tag/image', new URLSearchParams({ image_url: url, ocr: 'true' }));
    expect([status, body.code]).toEqual(forbidden);
  });

  it.each<[string, Record<string, string | Blob>]>([
    ['neither', { ocr: 'true' }],
    ['both', { image: picture, image_url: url }],
    ['empty ones', { image: '', image_url: '' }],
  ])('asks for exactly one of image and image_url: %s', async (_, fields) => {
    expect(await post('/tag/image', form(fields))).toEqual({ status: 400, body: combination });
  });

  it('names every fault of its fields in the order of the contract, before it counts images', async () => {
    const { status, body } = await post('/tag/image', form({ colors: 'x', ocr: 'maybe', mode: 'wild', image: 'text' }));
    const faults = body.detail as { type: string; loc: string[]; input: unknown }[];
    expect(status).toBe(422);
    expect(faults.map(({ type, loc, input }) => [type, loc.join('.'), input])).toEqual([
      ['value_error', 'body.image', 'text'],
      ['enum', 'body.mode', 'wild'],
      ['bool_parsing', 'body.ocr', 'maybe'],
      ['bool_parsing', 'body.colors', 'x'],
    ]);
  });

  it('is for taggers', async () => {
    const { status, body } = await post('/tag/image', form({}), await world.client({ role: 'viewer' }));
    const detail = "Role 'viewer' may not tag images";
    expect([status, body]).toEqual([403, { detail, code: 'forbidden', required_scope: 'imgs:tag' }]);
    const tagger = await post('/tag/image', form({ image: picture }), await world.client({ role: 'tagger' }));
    expect(tagger.status).toBe(415);
  });
});

describe('POST /query_imgs', () => {
  it('takes one file, also from a viewer', async () => {
    const { status, body } = await post(
      '/query_imgs',
      form({ image: picture }),
      await world.client({ role: 'viewer' }),
    );
    expect([status, body.code]).toEqual(noPicture);
  });

  it('misses its file where there is none', async () => {
    const fault = { type: 'missing', loc: ['body', 'image'], msg: 'Field required', input: null };
    expect(await post('/query_imgs', form({ image: '' }))).toEqual({ status: 422, body: { detail: [fault] } });
  });
});

describe('a form', () => {
  const file = (size: number) => new Blob([Buffer.alloc(size)]);

  it('may hold a file of 25 MiB and no larger one', full, async () => {
    expect((await post('/query_imgs', form({ image: file(25 * mebibyte) }))).status).toBe(415);
    const { status, body } = await post('/query_imgs', form({ image: file(25 * mebibyte + 1) }));
    expect([status, body]).toEqual([413, { detail: 'The file is larger than 25 MiB', code: 'too_large' }]);
  });

  it('may hold a text of 1 MiB and no longer one, whether it is known or not', async () => {
    for (const name of ['event', 'unknown']) {
      const texts = [mebibyte, mebibyte + 1].map((length) => form({ image: picture, [name]: 'x'.repeat(length) }));
      const [good, bad] = await Promise.all(texts.map((each) => post('/tag/image', each)));
      expect(good?.status).toBe(415);
      expect(bad).toEqual({ status: 400, body: { detail: 'Part exceeded maximum size of 1024KB.' } });
    }
  });

  it('may hold 1000 texts and no more, in either encoding', async () => {
    const pairs = (count: number) => Array.from({ length: count }, (): [string, string] => ['event', 'x']);
    const multipart = (count: number) => {
      const data = form({ image: picture });
      for (const [name, value] of pairs(count)) data.append(name, value);
      return data;
    };
    const urlencoded = (count: number) => new URLSearchParams([...pairs(count - 1), ['image_url', url]]);
    for (const [make, judged] of [
      [multipart, 415],
      [urlencoded, 422],
    ] as const) {
      expect((await post('/tag/image', make(1000))).status).toBe(judged);
      const detail = 'Too many fields. Maximum number of fields is 1000.';
      expect(await post('/tag/image', make(1001))).toEqual({ status: 400, body: { detail } });
    }
  });

  it('may hold 1000 files and no more', async () => {
    const files = (count: number) => {
      const data = new FormData();
      for (let each = 0; each < count; each += 1) data.append('image', picture);
      return data;
    };
    expect((await post('/query_imgs', files(1000))).status).toBe(415);
    const detail = 'Too many files. Maximum number of files is 1000.';
    expect(await post('/query_imgs', files(1001))).toEqual({ status: 400, body: { detail } });
  });

  it('is not read without a key', async () => {
    const answer = await fetch(`${world.url}/query_imgs`, {
      method: 'POST',
      body: 'junk',
      headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
    });
    expect([answer.status, await answer.json()]).toEqual([401, { detail: 'Not authenticated' }]);
  });
});
