import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { thumbHashToAverageRGBA } from 'thumbhash';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

let world: World;
let client: Client;

beforeAll(async () => {
  world = await openWorld();
  client = await world.client({ tenant: 'agency' });
  // Held upright, with a wide profile and its author in the metadata.
  await sharp({ create: { width: 900, height: 600, channels: 3, background: 'red' } })
    .withMetadata({ orientation: 6, exif: { IFD0: { Artist: 'Ana' } } })
    .withIccProfile('p3')
    .jpeg()
    .toFile(join(world.media, 'turned.jpg'));
  await world.picture('small.png', { width: 100, height: 50 });
  await world.picture('changes.png', { width: 300, height: 300, color: 'blue' });
  await client.write('POST', '/imgs', [
    { id: 'turned', src_path: 'turned.jpg', lang: 'en' },
    { id: 'small', src_path: 'small.png', lang: 'en' },
    { id: 'changes', src_path: 'changes.png', lang: 'en' },
  ]);
});
afterAll(() => world.close());

const query = `query ($id: ID!, $width: Int!, $format: PreviewFormat) {
  image(id: $id) { preview(width: $width, format: $format) { url width height } previewUrl } }`;

type Link = Readonly<{ url: string; width: number; height: number }>;

async function linkOf(id: string, width = 320, format: string | null = 'webp'): Promise<Link> {
  const { data } = await client.graphql(query, { id, width, format });
  return data.image.preview;
}

const get = (path: string, headers: Record<string, string> = {}) => fetch(world.url + path, { headers });
const bytesOf = async (reply: Response) => Buffer.from(await reply.arrayBuffer());
const kept = () => readdirSync(join(world.media, 'previews'), { recursive: true, encoding: 'utf8' });

describe('the preview of a picture', () => {
  it('is upright, in sRGB, as wide as was asked for, and does not say who took it', async () => {
    const { url, width, height } = await linkOf('turned');
    expect([width, height]).toEqual([320, 480]);
    const reply = await get(url);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'image/webp']);
    const { exif, icc, ...facts } = await sharp(await bytesOf(reply)).metadata();
    expect(facts).toMatchObject({ format: 'webp', width: 320, height: 480, space: 'srgb' });
    expect([exif, icc]).toEqual([undefined, undefined]);
  });

  it('is never larger than the picture', async () => {
    const { url, width, height } = await linkOf('small', 2048);
    expect([width, height]).toEqual([100, 50]);
    expect(await sharp(await bytesOf(await get(url))).metadata()).toMatchObject({ width: 100, height: 50 });
  });

  it.each(['avif', 'webp', 'jpeg'])('comes as %s where the address says so', async (format) => {
    const { status, headers } = await get((await linkOf('turned', 160, format)).url, { Accept: 'image/png' });
    expect([status, headers.get('content-type'), headers.get('vary')]).toEqual([200, `image/${format}`, null]);
  });

  it.each([
    ['image/avif,image/webp,*/*', 'image/webp'],
    ['*/*', 'image/jpeg'],
  ])('without a format is what a reader of %s can show', async (accept, type) => {
    const { headers } = await get((await linkOf('turned', 160, null)).url, { Accept: accept });
    expect([headers.get('content-type'), headers.get('vary')]).toEqual([type, 'Accept']);
  });

  it('is kept by browsers until its address changes, and confirmed by its tag', async () => {
    const { url } = await linkOf('turned');
    const reply = await get(url);
    expect(reply.headers.get('cache-control')).toMatch(/^private, max-age=\d{5,6}, immutable$/);
    const tag = reply.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[0-9a-f]{32}-320-webp"$/);
    expect((await get(url, { 'If-None-Match': tag })).status).toBe(304);
    expect((await linkOf('turned')).url).toBe(url);
  });

  it('has a head alone for HEAD, and parts for those who ask for them', async () => {
    const { url } = await linkOf('turned');
    const whole = await bytesOf(await get(url));
    const head = await fetch(world.url + url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(whole.length)]);
    const part = await get(url, { Range: 'bytes=10-19' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${whole.length}`]);
    expect(await bytesOf(part)).toEqual(whole.subarray(10, 20));
    const beyond = await get(url, { Range: `bytes=${whole.length}-` });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${whole.length}`]);
  });

  it('is the same for all who ask at once, and kept below DATA_DIR', async () => {
    const { url } = await linkOf('small', 640, 'jpeg');
    const replies = await Promise.all(Array.from({ length: 20 }, () => get(url)));
    const bodies = await Promise.all(replies.map(bytesOf));
    expect(new Set(bodies.map((body) => body.toString('base64'))).size).toBe(1);
    expect(kept().filter((name) => name.endsWith('-640.jpeg'))).toHaveLength(1);
  });

  it('is made again if a power failure left its file empty', async () => {
    await get((await linkOf('changes', 640, 'jpeg')).url);
    const wide = kept().filter((name) => name.endsWith('-640.jpeg'));
    for (const name of wide) writeFileSync(join(world.media, 'previews', name.replace('-640.', '-2048.')), '');
    const reply = await get((await linkOf('changes', 2048, 'jpeg')).url);
    expect(reply.status).toBe(200);
    expect(await sharp(await bytesOf(reply)).metadata()).toMatchObject({ width: 300, height: 300 });
  });
});

it('before its preview comes, a picture has its colors as a placeholder', async () => {
  const { data } = await client.graphql('{ image(id: "turned") { placeholder } }');
  const { r, g, b } = thumbHashToAverageRGBA(Buffer.from(data.image.placeholder, 'base64'));
  expect(r).toBeGreaterThan(0.8);
  expect(g + b).toBeLessThan(0.4);
});

describe('an address that is not right', () => {
  it.each([
    ['without a signature', () => '/previews/x/320.webp'],
    ['of no width', (url: string) => url.replace('/320', '/321')],
    ['of no format', (url: string) => url.replace('.webp', '.gif')],
    ['altered', (url: string) => url.replace(/previews\/(.)/, (_, first) => `previews/${first === 'B' ? 'C' : 'B'}`)],
    ['of a folder', () => '/previews/'],
    ['of other files', () => '/previews/..%2f..%2fetc%2fpasswd/320.webp'],
  ])('%s is forbidden without a hint', async (_what, alter) => {
    const reply = await get(alter((await linkOf('small')).url));
    expect([reply.status, await reply.json()]).toEqual([403, { detail: 'Forbidden' }]);
  });

  it('takes no method that writes', async () => {
    const reply = await fetch(world.url + (await linkOf('small')).url, { method: 'DELETE' });
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});

describe('a picture that is not what was stored', () => {
  it('is shown as it is now, and kept by nobody', async () => {
    const { url } = await linkOf('changes');
    const before = kept().length;
    const other = sharp({ create: { width: 300, height: 300, channels: 3, background: 'lime' } });
    await other.toFile(join(world.media, 'changes.png'));
    const reply = await get(url);
    const { status, headers } = reply;
    expect([status, headers.get('cache-control'), headers.get('etag')]).toEqual([200, 'no-store', null]);
    const { dominant } = await sharp(await bytesOf(reply)).stats();
    expect(dominant.g).toBeGreaterThan(dominant.b);
    expect(kept()).toHaveLength(before);
  });

  it.each([
    ['cannot be decoded any more', 'no picture', 'unsupported_media'],
    ['is gone', null, 'source_unreachable'],
  ])('%s: 404 says why', async (_what, content, code) => {
    await world.picture('breaks.png');
    await client.write('POST', '/imgs', [{ id: 'breaks', src_path: 'breaks.png', lang: 'en' }]);
    const { url } = await linkOf('breaks');
    if (content === null) rmSync(join(world.media, 'breaks.png'));
    else writeFileSync(join(world.media, 'breaks.png'), content);
    const reply = await get(url);
    expect([reply.status, ((await reply.json()) as { code: string }).code]).toEqual([404, code]);
    await client.write('DELETE', '/imgs/breaks');
  });

  it('is gone with its record', async () => {
    await world.picture('deleted.png', { color: 'pink' });
    await client.write('POST', '/imgs', [{ id: 'deleted', src_path: 'deleted.png', lang: 'en' }]);
    const { url } = await linkOf('deleted');
    await client.write('DELETE', '/imgs/deleted');
    const reply = await get(url);
    expect([reply.status, await reply.json()]).toMatchObject([404, { code: 'not_found' }]);
  });
});

describe('purged records', () => {
  const keptFiles = () =>
    readdirSync(join(world.media, 'previews'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.\w+$/.test(name),
    );

  it('leave no preview of any of their files, and others show theirs again', async () => {
    await world.picture('first.png', { color: 'gold' });
    await world.picture('second.png', { color: 'plum' });
    await client.write('POST', '/imgs', [{ id: 'purged', src_path: 'first.png', lang: 'en' }]);
    const before = await linkOf('purged');
    const others = keptFiles();
    expect((await get(before.url)).status).toBe(200);
    await client.write('PATCH', '/imgs/purged', { src_path: 'second.png' });
    await client.write('POST', '/imgs', [{ id: 'same', src_path: 'second.png', lang: 'en' }]);
    const { url } = await linkOf('purged');
    expect((await get(url)).status).toBe(200);
    expect(keptFiles()).toHaveLength(others.length + 2);
    expect(await client.write('POST', '/imgs/purged/purge')).toMatchObject({ num_good: 1 });
    await vi.waitFor(() => expect(keptFiles().toSorted()).toEqual(others.toSorted()));
    for (const gone of [before.url, url]) expect((await get(gone)).status).toBe(404);
    expect((await get((await linkOf('same')).url)).status).toBe(200);
    await client.write('DELETE', '/imgs/same');
  });
});

describe('REST', () => {
  it('gives the address of a preview to those who ask for it', async () => {
    const { body } = await client.rest('GET', '/imgs/turned?fields=image_id&fields=preview_url');
    expect(body).toEqual({ image_id: 'turned', preview_url: expect.stringMatching(/^\/previews\/[\w-]+\/640$/) });
    expect((await get(body.preview_url)).status).toBe(200);
    const list = await client.rest('GET', '/imgs?q=width:100&fields=preview_url');
    expect(list.body.results).toEqual([{ preview_url: expect.stringMatching(/^\/previews\//) }]);
  });

  it('does not show it to others', async () => {
    const { body } = await client.rest('GET', '/imgs/turned');
    expect(body).not.toHaveProperty('preview_url');
  });
});

it('records have no previews where they are off', async () => {
  const without = await openWorld({ environment: { PREVIEWS: 'off' } });
  try {
    const own = await without.client();
    await without.picture('a.png');
    await own.write('POST', '/imgs', [{ id: 'a', src_path: 'a.png', lang: 'en' }]);
    const { data } = await own.graphql('{ image(id: "a") { preview { url } previewUrl } }');
    expect(data.image).toEqual({ preview: null, previewUrl: null });
    expect((await fetch(`${without.url}/previews/x/320`)).status).toBe(403);
    expect(existsSync(join(without.media, 'previews'))).toBe(false);
  } finally {
    await without.close();
  }
});
