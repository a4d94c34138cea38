import { gzipSync, deflateSync, brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../src/http/limits.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { full, firstOf, sizeOf } from '../support/effort.ts';

const mebibyte = 2 ** 20;
const own = { bodiesBytes: 48 * mebibyte, tenantBodiesBytes: 34 * mebibyte, keyBodiesBytes: 34 * mebibyte };
const small = { ...limits, ...own, bodyBytes: 4 * mebibyte, bodyWaitMs: 400 };

let world: World;
let client: Client;
beforeAll(async () => {
  world = await openWorld({ worker: false, http: { limits: small } });
  client = await world.client();
});
afterAll(() => world.close());

async function send(path: string, body: Buffer, coding: string, headers: Record<string, string> = {}) {
  const own = { 'API-Key': client.key, 'Content-Type': 'application/json', 'Content-Encoding': coding, ...headers };
  const init = { method: 'POST', headers: own, body: new Uint8Array(body) };
  const reply = await fetch(`${world.url}${path}`, init);
  return { status: reply.status, headers: reply.headers, body: JSON.parse(await reply.text()) };
}

const batch = (length: number) => JSON.stringify([{ id: 'a', src: 'http://127.0.0.1/', caption: 'x'.repeat(length) }]);
const document = (length = 0) => JSON.stringify({ query: `{ me { roleName } }`, variables: { x: ' '.repeat(length) } });
const admin = { data: { me: { roleName: 'admin' } } };
const codings = firstOf(2, [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['x-gzip', gzipSync],
  ['GZIP', gzipSync],
] as const);

describe.each(codings)('a body that is coded by %s', (coding, code) => {
  it.each([10, 9_000, 900_000])('is taken as what it stands for: %i characters', async (length) => {
    const rest = await send('/imgs', code(batch(length)), coding);
    expect([rest.status, rest.body.n_total]).toEqual([202, 1]);
    for (let times = 0; times < 2; times += 1)
      expect((await send('/graphql', code(document(length)), coding)).body).toEqual(admin);
  });

  it('may be a form', async () => {
    const form = code('image_url=nowhere');
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { status, body } = await send('/tag/image', form, coding, type);
    expect([status, body.detail[0].loc, body.detail[0].input]).toEqual([422, ['body', 'image_url'], 'nowhere']);
  });

  it('may be a form of GraphQL with a file', async () => {
    const boundary = 'b';
    const operations = JSON.stringify({
      query: 'mutation($image: Upload!) { uploadQueryImage(image: $image) { hash } }',
      variables: { image: null },
    });
    const part = (name: string, value: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const file = `--${boundary}\r\nContent-Disposition: form-data; name="0"; filename="a.png"\r\n\r\n`;
    const text = `${part('operations', operations)}${part('map', '{"0":["variables.image"]}')}${file}${'no picture '.repeat(90_000)}\r\n--${boundary}--\r\n`;
    const type = { 'Content-Type': `multipart/form-data; boundary=${boundary}` };
    const { status, body } = await send('/graphql', code(text), coding, type);
    expect([status, body.errors[0].extensions.code]).toEqual([200, 'unsupported_media']);
  });

  it('is 400 where it is not, or is cut', async () => {
    for (const bytes of [Buffer.from(batch(10)), code(batch(9_000)).subarray(0, -12)]) {
      const { status, body } = await send('/imgs', bytes, coding);
      const detail = `The body is not valid ${coding.toLowerCase()}, or ends early`;
      expect([status, body]).toEqual([400, { detail, code: 'invalid_http' }]);
      const asGraphQL = await send('/graphql', bytes, coding, { Accept: 'application/graphql-response+json' });
      expect([asGraphQL.status, asGraphQL.body.errors[0].message]).toEqual([400, detail]);
    }
  });

  it('is 413 as soon as what it stands for is too much, within its memory', full, async () => {
    const bomb = code(Buffer.alloc(sizeOf(256, 512) * mebibyte, ' '));
    expect(bomb.length).toBeLessThan(mebibyte);
    const before = process.memoryUsage.rss();
    for (const path of ['/imgs', '/graphql']) {
      const { status, body } = await send(path, bomb, coding);
      const message = path === '/imgs' ? body.detail : body.errors[0].message;
      expect([status, message]).toEqual([413, 'The body is larger than 4 MiB']);
    }
    expect(process.memoryUsage.rss() - before).toBeLessThan(200 * mebibyte);
  });
});

describe('a coding', () => {
  it.each([
    ['br', brotliCompressSync],
    ['zstd', Buffer.from],
    ['gzip, gzip', (text: string) => gzipSync(gzipSync(text))],
    ['__proto__', Buffer.from],
  ])('that is unknown is refused with 415 and the known ones: %s', async (coding, code) => {
    for (const path of ['/imgs', '/graphql']) {
      const { status, headers, body } = await send(path, code(batch(10)), coding);
      expect([status, headers.get('accept-encoding')]).toEqual([415, 'gzip, deflate']);
      const { code: own, hint } = path === '/imgs' ? body : body.errors[0].extensions;
      expect([own, hint]).toEqual(['unsupported_media', 'Send it uncompressed, or with one of gzip, deflate']);
    }
  });

  it('that is none is no coding', async () => {
    expect((await send('/imgs', Buffer.from(batch(10)), 'identity')).status).toBe(202);
  });

  it('is not checked before the key', async () => {
    expect((await send('/imgs', brotliCompressSync(batch(10)), 'br', { 'API-Key': 'x' })).status).toBe(401);
  });

  it('does not get around the memory for bodies: what it stands for counts', async () => {
    const codes = await Promise.all(
      Array.from({ length: 6 }, () => send('/imgs', gzipSync(batch(900_000)), 'gzip').then(({ status }) => status)),
    );
    expect(codes.filter((status) => status === 202).length).toBeGreaterThan(0);
    expect(codes.every((status) => [202, 429, 503].includes(status))).toBe(true);
  });
});
