import { readdirSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeClip, steady } from '../support/clips.ts';
import { serveWeb } from '../support/web.ts';
import type { Web } from '../support/web.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { full } from '../support/effort.ts';

let world: World;
let client: Client;
let clip: Buffer;
let web: Web;
/** How the server of the source answers. */
let habit: 'ranges' | 'whole' | 'other' | 'fails' = 'ranges';

const [width, height] = [320, 180];
const plain = (...[r, g, b]: number[]) =>
  Uint8Array.from({ length: width * height * 4 }, (_, at) => [r, g, b, 255][at % 4] ?? 0);

beforeAll(async () => {
  const pictures = [plain(220, 30, 30), plain(30, 200, 30), plain(30, 30, 220)];
  // It begins with a picture that is good for a poster.
  const bars = Uint8Array.from({ length: width * height * 4 }, (_, at) => (at % 128 < 64 ? 240 : 20));
  clip = await makeClip({ width, height, times: steady(40, 10), pictures: [bars, ...pictures], bitrate: 2_000_000 });
  web = await serveWeb((request, response) => {
    const [, first = '', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    if (habit === 'fails') return void response.writeHead(500).end();
    const tag = habit === 'other' ? '"other"' : '"clip"';
    if (habit === 'whole' || first === '') {
      return void response.writeHead(200, { 'content-length': clip.length, etag: tag }).end(clip);
    }
    const end = last === '' ? clip.length : Math.min(clip.length, Number(last) + 1);
    const range = `bytes ${first}-${end - 1}/${clip.length}`;
    response.writeHead(206, { 'content-range': range, etag: tag }).end(clip.subarray(Number(first), end));
  });
  world = await openWorld({ sourceAllow: '127.0.0.0/8' });
  client = await world.client({ tenant: 'agency' });
  writeFileSync(join(world.media, 'clip.webm'), clip);
  await client.write('POST', '/vids?lang=en', [
    { id: 'local', src_path: 'clip.webm' },
    { id: 'remote', src: `${web.url}clip.webm` },
  ]);
});
afterAll(async () => {
  await world.close();
  await web.close();
});

const shown = async (id: string, width = 160) =>
  (
    await client.graphql(
      `query ($id: ID!, $width: Int!) { video(id: $id) {
        preview(width: 1280) { url width height } filmstrip(width: $width, format: webp) { url width height count }
        file { url type bytes } } }`,
      { id, width },
    )
  ).data.video;
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(world.url + path, { headers, method });
const bytesOf = async (reply: Response) => Buffer.from(await reply.arrayBuffer());

describe('the preview of a video', () => {
  it('is its poster, as large as it says', async () => {
    const { preview } = await shown('local');
    expect([preview.width, preview.height]).toEqual([320, 180]);
    const reply = await get(preview.url);
    expect(reply.status).toBe(200);
    expect(await sharp(await bytesOf(reply)).metadata()).toMatchObject({ width: 320, height: 180 });
  });

  it('has another address when the video is read again', async () => {
    await client.write('POST', '/vids?lang=en', [{ id: 'again', src_path: 'clip.webm' }]);
    const before = await shown('again');
    await client.write('PATCH', '/vids/again', { src_path: 'clip.webm' });
    const after = await shown('again');
    expect(after.preview.url).not.toBe(before.preview.url);
    expect((await get(after.preview.url)).status).toBe(200);
  });
});

describe('the filmstrip of a video', () => {
  it.each(['local', 'remote'])('has ten frames at equal distances beside each other: %s', full, async (id) => {
    const { filmstrip } = await shown(id);
    expect(filmstrip).toMatchObject({ width: 160, height: 90, count: 10 });
    const reply = await get(filmstrip.url);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'image/webp']);
    const picture = await bytesOf(reply);
    expect(await sharp(picture).metadata()).toMatchObject({ width: 1600, height: 90 });
    const colorAt = async (frame: number) => {
      const part = sharp(picture).extract({ left: frame * 160 + 40, top: 20, width: 80, height: 50 });
      const { channels } = await sharp(await part.png().toBuffer()).stats();
      const [r = 0, g = 0, b = 0] = channels.map(({ mean }) => mean);
      return r > 150 && g < 100 ? 'red' : g > 150 && b < 100 ? 'green' : b > 150 && r < 100 ? 'blue' : 'bars';
    };
    expect(await Promise.all([0, 1, 3, 6, 9].map(colorAt))).toEqual(['bars', 'bars', 'red', 'green', 'blue']);
  });

  it('is made once, for all who ask, and 320 pixels are the widest', async () => {
    const { filmstrip } = await shown('local', 2000);
    expect(filmstrip).toMatchObject({ width: 320, height: 180 });
    const replies = await Promise.all(Array.from({ length: 8 }, () => get(filmstrip.url)));
    expect(
      new Set(await Promise.all(replies.map(async (reply) => (await bytesOf(reply)).toString('base64')))).size,
    ).toBe(1);
    expect((await get(filmstrip.url.replace('-320', '-640'))).status).toBe(403);
  });

  it('is not of a picture', async () => {
    await world.picture('a.png');
    await client.write('POST', '/imgs?lang=en', [{ id: 'a', src_path: 'a.png' }]);
    const { data } = await client.graphql('{ image(id: "a") { preview(width: 160, format: webp) { url } } }');
    expect((await get(data.image.preview.url.replace('/160', '/filmstrip-160'))).status).toBe(403);
  });
});

describe('the file of a video', () => {
  it.each(['local', 'remote'])('is sent whole, with its type and length: %s', async (id) => {
    const { file } = await shown(id);
    expect(file).toMatchObject({ type: 'video/webm', bytes: clip.length });
    const reply = await get(file.url);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'video/webm']);
    expect(reply.headers.get('content-length')).toBe(String(clip.length));
    expect(reply.headers.get('cache-control')).toBe('private, no-cache');
    expect((await bytesOf(reply)).equals(clip)).toBe(true);
  });

  it.each(['local', 'remote'])('is sent in parts: %s', async (id) => {
    const { file } = await shown(id);
    const part = await get(file.url, { Range: 'bytes=100-299' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-299/${clip.length}`]);
    expect((await bytesOf(part)).equals(clip.subarray(100, 300))).toBe(true);
    const rest = await get(file.url, { Range: `bytes=${clip.length - 10}-` });
    expect((await bytesOf(rest)).equals(clip.subarray(-10))).toBe(true);
  });

  it.each(['local', 'remote'])('is confirmed by its tag, and parts belong to it: %s', async (id) => {
    const { file } = await shown(id);
    const tag = (await get(file.url, {}, 'HEAD')).headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]+"$/);
    expect((await get(file.url, { 'If-None-Match': tag })).status).toBe(304);
    expect((await get(file.url, { Range: 'bytes=0-9', 'If-Range': tag })).status).toBe(206);
    expect((await get(file.url, { Range: 'bytes=0-9', 'If-Range': '"another"' })).status).toBe(200);
  });

  it.each(['local', 'remote'])('has a head alone for HEAD: %s', async (id) => {
    const reply = await get((await shown(id)).file.url, {}, 'HEAD');
    expect([reply.status, reply.headers.get('content-length'), reply.headers.get('content-type')]).toEqual([
      200,
      String(clip.length),
      'video/webm',
    ]);
  });

  it('beyond its end has no parts', async () => {
    const reply = await get((await shown('local')).file.url, { Range: `bytes=${clip.length}-` });
    expect([reply.status, reply.headers.get('content-range')]).toEqual([416, `bytes */${clip.length}`]);
  });

  it('is not opened by the address of its preview, nor without one', async () => {
    const { file, preview } = await shown('local');
    const signed = preview.url.split('/')[2];
    const other = file.url.split('/')[2];
    const paths = [
      `/files/${signed}`,
      `/previews/${other}/160`,
      '/files/',
      '/files/x',
      '/files/..%2f..%2fetc%2fpasswd',
    ];
    for (const path of paths) {
      const reply = await get(path);
      expect([path, reply.status, await reply.json()]).toEqual([path, 403, { detail: 'Forbidden' }]);
    }
  });

  it('of a server without parts is sent whole', async () => {
    const { file } = await shown('remote');
    habit = 'whole';
    const reply = await get(file.url, { Range: 'bytes=100-299' });
    habit = 'ranges';
    expect([reply.status, reply.headers.get('content-range')]).toEqual([200, null]);
    expect((await bytesOf(reply)).equals(clip)).toBe(true);
  });

  it('that was exchanged has another tag', async () => {
    const { file } = await shown('remote');
    const before = (await get(file.url, {}, 'HEAD')).headers.get('etag');
    habit = 'other';
    const reply = await get(file.url, { 'If-None-Match': before ?? '' });
    habit = 'ranges';
    expect([reply.status, reply.headers.get('etag') === before]).toEqual([200, false]);
  });

  it('that its server does not give, or that is gone, is 404 with the reason', async () => {
    const { file } = await shown('remote');
    habit = 'fails';
    const reply = await get(file.url);
    habit = 'ranges';
    expect([reply.status, await reply.json()]).toEqual([
      404,
      { detail: 'src cannot be read: the server answered 500', code: 'source_unreachable' },
    ]);
    const local = await shown('local');
    renameSync(join(world.media, 'clip.webm'), join(world.media, 'away.webm'));
    const missing = await get(local.file.url);
    renameSync(join(world.media, 'away.webm'), join(world.media, 'clip.webm'));
    expect([missing.status, ((await missing.json()) as { code: string }).code]).toEqual([404, 'source_unreachable']);
  });

  it('is gone with its record', async () => {
    await client.write('POST', '/vids?lang=en', [{ id: 'deleted', src_path: 'clip.webm' }]);
    const { file } = await shown('deleted');
    await client.write('DELETE', '/vids/deleted');
    expect((await get(file.url)).status).toBe(404);
  });

  it('keeps no descriptor open when its readers leave', full, async () => {
    writeFileSync(join(world.media, 'large.webm'), Buffer.concat([clip, Buffer.alloc(40 * 2 ** 20)]));
    await client.write('POST', '/vids?lang=en', [{ id: 'large', src_path: 'large.webm' }]);
    const { file } = await shown('large');
    for (let times = 0; times < 80; times += 1) {
      const leaving = new AbortController();
      const reply = await fetch(world.url + file.url, { signal: leaving.signal });
      expect(reply.status).toBe(200);
      leaving.abort();
    }
    await expect.poll(() => openFilesOf(join(world.media, 'large.webm')), { timeout: 10_000 }).toBe(0);
    rmSync(join(world.media, 'large.webm'));
  });
});

/** How many descriptors of this process are of a file. */
async function openFilesOf(path: string): Promise<number> {
  await sleep(20);
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path;
    } catch {
      return false;
    }
  }).length;
}

it('over REST, addresses are fields for those who ask for them', async () => {
  const fields = ['poster_url', 'filmstrip_url', 'file_url'];
  const { body } = await client.rest('GET', `/vids/local?${fields.map((name) => `fields=${name}`).join('&')}`);
  expect(Object.keys(body)).toEqual(fields.toSorted());
  for (const [name, type] of [
    ['poster_url', 'image/jpeg'],
    ['filmstrip_url', 'image/jpeg'],
    ['file_url', 'video/webm'],
  ] as const) {
    const reply = await get(body[name]);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, type]);
    await bytesOf(reply);
  }
  const { body: others } = await client.rest('GET', '/vids/local');
  for (const name of fields) expect(others).not.toHaveProperty(name);
});

it('a video whose frames cannot be decoded can still be downloaded', async () => {
  const broken = Buffer.from(clip);
  // The codec's name, of which there is no decoder.
  const at = broken.indexOf('V_VP8');
  broken.write('V_XYZ', at);
  writeFileSync(join(world.media, 'broken.webm'), broken);
  await client.write('POST', '/vids?lang=en', [{ id: 'broken', src_path: 'broken.webm' }]);
  const { preview, filmstrip, file } = await shown('broken');
  expect([preview, filmstrip]).toEqual([null, null]);
  expect((await bytesOf(await get(file.url))).equals(readFileSync(join(world.media, 'broken.webm')))).toBe(true);
});
