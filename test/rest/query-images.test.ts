import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeExpired } from '../../src/operations/index.ts';
import { analyzerOf } from '../support/analyzers.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

let world: World;
let client: Client;
let picture: Buffer;

beforeAll(async () => {
  world = await openWorld({ worker: false, imageAnalyzer: analyzerOf(['shape', 'pdq', 'localFeatures']) });
  client = await world.client({ role: 'viewer' });
  picture = await sharp({ create: { width: 64, height: 48, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
});
afterAll(() => world.close());

async function post(image: Buffer, by = client) {
  const body = new FormData();
  body.append('image', new Blob([new Uint8Array(image)], { type: 'text/plain' }), 'a.txt');
  const answer = await fetch(`${world.url}/query_imgs`, { method: 'POST', body, headers: { 'API-Key': by.key } });
  return { status: answer.status, body: (await answer.json()) as any };
}

const query = 'mutation ($image: Upload!) { uploadQueryImage(image: $image) { hash width height expiresAt } }';

async function upload(image: Buffer, map: unknown = { 0: ['variables.image'] }, by = client) {
  const body = new FormData();
  body.append('operations', JSON.stringify({ query, variables: { image: null } }));
  body.append('map', JSON.stringify(map));
  body.append('0', new Blob([new Uint8Array(image)]), 'a.png');
  const answer = await fetch(`${world.url}/graphql`, { method: 'POST', body, headers: { 'API-Key': by.key } });
  return { status: answer.status, body: (await answer.json()) as any };
}

const hours = (from: number, to: string) => (Date.parse(to) - from) / 3_600_000;
const uploads = () => readdirSync(tmpdir()).filter((name) => name.startsWith('capacitor-'));
/** Of other programs that use the same library. */
const before = new Set(uploads());
const leftovers = () => uploads().filter((name) => !before.has(name));

describe('a query image', () => {
  it('is named by its content, whatever name and type are declared, and kept for 24 hours', async () => {
    const began = Date.now();
    const { status, body } = await post(picture);
    expect([status, body]).toEqual([
      200,
      {
        hash: expect.stringMatching(/^qh_[0-9a-hjkmnp-tv-z]{26}$/),
        width: 64,
        height: 48,
        expires_at: expect.any(String),
      },
    ]);
    expect(hours(began, body.expires_at)).toBeCloseTo(24, 1);
    expect((await post(picture)).body.hash).toBe(body.hash);
    const other = await sharp(picture).jpeg().toBuffer();
    expect((await post(other)).body.hash).not.toBe(body.hash);
  });

  it('is answered alike by GraphQL', async () => {
    const { body: rest } = await post(picture);
    const { status, body } = await upload(picture);
    expect([status, body.errors]).toEqual([200, undefined]);
    const { hash, width, height } = body.data.uploadQueryImage;
    expect({ hash, width, height }).toEqual({ hash: rest.hash, width: rest.width, height: rest.height });
  });

  it.each([
    ['no picture', () => Buffer.from('no picture'), 415, 'unsupported_media'],
    ['a broken one', () => picture.subarray(0, picture.length - 30), 422, 'invalid_image'],
    ['one of more than 25 MiB', () => Buffer.alloc(25 * 2 ** 20 + 1), 413, 'too_large'],
  ])('is refused where it is %s', async (_, bytes, status, code) => {
    const answer = await post(bytes());
    expect(answer.status).toBe(status);
    const { body } = await upload(bytes());
    expect(body.errors[0].extensions.code).toBe(code);
  });

  it('leaves no file behind that arrived over GraphQL, taken or refused', async () => {
    await upload(picture);
    await upload(Buffer.alloc(25 * 2 ** 20 + 1));
    await upload(picture, { 0: ['variables.other'] });
    await expect.poll(leftovers, { timeout: 5000 }).toEqual([]);
  });

  it('has no name on disk even while it arrives, so that a killed process leaves nothing', async () => {
    const boundary = 'half-sent';
    const part = (name: string, content: string, more = '') =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}`;
    const half = request(`${world.url}/graphql`, {
      method: 'POST',
      headers: { 'API-Key': client.key, 'Content-Type': `multipart/form-data; boundary=${boundary}` },
    });
    half.on('error', () => {});
    const operations = JSON.stringify({ query, variables: { image: null } });
    half.write(`${part('operations', operations)}\r\n${part('map', '{"0":["variables.image"]}')}\r\n`);
    half.write(part('0', 'x'.repeat(100_000), '; filename="a.png"'));
    await new Promise((resolve) => setTimeout(resolve, 500));
    await expect.poll(leftovers, { timeout: 2000 }).toEqual([]);
    half.destroy();
  });

  it('goes when its time is over', async () => {
    await post(picture);
    const { pool } = world.backing.database;
    await pool.query("UPDATE query_image SET expires_at = now() - interval '1 second'");
    expect((await removeExpired(world.backing.database))?.['query_image']).toBeGreaterThan(0);
  });

  it('that a map names and the request lacks is reported', async () => {
    const { status, body } = await upload(picture, { 7: ['variables.image'] });
    expect([status, body.errors[0].extensions.code]).toEqual([200, 'invalid_argument']);
  });
});
