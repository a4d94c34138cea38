import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { chooseEncoding, compressFrom } from '../../src/http/reply/compression.ts';
import { namesTag } from '../../src/http/reply/entity-tag.ts';
import { policyOf } from '../../src/http/reply/page.ts';
import { exchange, openWire } from '../support/raw.ts';
import type { RawReply } from '../support/raw.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';
import { full } from '../support/effort.ts';

let world: SharedWorld;
let editor: Client;
let operation: number;
withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  editor = await world.client();
  const srcPath = await world.picture('a.png');
  const images = Array.from({ length: 40 }, (_, i) => ({ id: `p${i}`, src_path: srcPath, title: `Picture ${i}` }));
  ({ operation_id: operation } = await editor.write('POST', '/imgs', images));
});

/** One request, byte by byte as it is answered: fetch would unpack bodies and hide headers. */
async function ask(path: string, headers: Record<string, string> = {}, method = 'GET', body = ''): Promise<RawReply> {
  const all = { Host: 'x', Connection: 'close', 'API-Key': editor.key, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  const [reply] = await exchange(world.url, `${method} ${path} HTTP/1.1\r\n${lines.join('')}${length}\r\n${body}`);
  return reply as RawReply;
}

async function askBytes(path: string, encoding: string): Promise<{ headers: RawReply['headers']; bytes: Buffer }> {
  const wire = await openWire(world.url);
  const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAPI-Key: ${editor.key}\r\n`;
  wire.write(`${head}Accept-Encoding: ${encoding}\r\nAccept: text/html, */*\r\n\r\n`);
  const [reply] = await wire.ended;
  const all = wire.received();
  return { headers: reply?.headers ?? {}, bytes: all.subarray(all.indexOf('\r\n\r\n') + 4) };
}

describe('a read that is repeated', () => {
  it.each(['/imgs/p1', '/imgs?limit=3', '/ops', '/ops/{op_id}', '/me', '/graphql?query=%7Bme%7BroleName%7D%7D', '/'])(
    'costs only its tag while nothing has changed: %s',
    async (template) => {
      const path = template.replace('{op_id}', String(operation));
      const html = path === '/' ? { Accept: 'text/html' } : undefined;
      const first = await ask(path, html);
      expect(first.status).toBe(200);
      const tag = first.headers['etag'] ?? '';
      expect(tag).toMatch(/^W\/"(?:[\da-f]+-[\da-f]+\.)?[\w-]{27}"$/);
      for (const known of [tag, `"other", ${tag}`, tag.slice(2), '*']) {
        const second = await ask(path, { ...html, 'If-None-Match': known });
        expect([known, second.status, second.body, second.headers['etag']]).toEqual([known, 304, '', tag]);
        expect(second.headers['vary']).toBe(first.headers['vary']);
        expect(second.headers['cache-control']).toBe(first.headers['cache-control']);
      }
      expect((await ask(path, { ...html, 'If-None-Match': '"other"' })).status).toBe(200);
    },
  );

  it.each(['/imgs/p1', '/imgs?limit=3', '/graphql?query=%7Bme%7BroleName%7D%7D', '/'])(
    'is 412 if If-Match requires other content: %s',
    async (path) => {
      const html = path === '/' ? { Accept: 'text/html' } : undefined;
      const tag = (await ask(path, html)).headers['etag'] ?? '';
      for (const required of [tag, `"other", ${tag}`, '*']) {
        expect([required, (await ask(path, { ...html, 'If-Match': required })).status]).toEqual([required, 200]);
        const both = await ask(path, { ...html, 'If-Match': required, 'If-None-Match': tag });
        expect([required, both.status]).toEqual([required, 304]);
      }
      const { status, body } = await ask(path, { ...html, 'If-Match': '"other"', 'If-None-Match': tag });
      expect([status, body]).toEqual([412, expect.stringContaining('precondition_failed')]);
    },
  );

  it('is answered anew when something has changed', async () => {
    const tag = (await ask('/imgs/p2')).headers['etag'] ?? '';
    await editor.write('PATCH', '/imgs/p2', { title: 'Renamed' });
    const { status, headers, body } = await ask('/imgs/p2', { 'If-None-Match': tag });
    expect([status, JSON.parse(body).title]).toEqual([200, 'Renamed']);
    expect(headers['etag']).not.toBe(tag);
  });

  it('may be kept by its own client only, and asked for again each time', async () => {
    for (const path of ['/imgs/p1', '/imgs', '/nothing']) {
      const { headers } = await ask(path);
      expect(headers).toMatchObject({
        'cache-control': 'private, no-cache',
        vary: 'Accept, Accept-Encoding, API-Key',
        'x-content-type-options': 'nosniff',
      });
    }
    for (const path of ['/health', '/ready']) expect((await ask(path)).headers['cache-control']).toBe('no-store');
  });

  it('has the same headers for HEAD', async () => {
    for (const [path, encoding] of [
      ['/imgs/p1', ''],
      ['/imgs?limit=40', 'gzip'],
      ['/', 'br'],
      ['/health', ''],
      ['/graphql?query=%7Bme%7BroleName%7D%7D', ''],
    ] as const) {
      const wanted = { 'X-Request-Id': 'same', 'Accept-Encoding': encoding };
      const [get, head] = [await ask(path, wanted), await ask(path, wanted, 'HEAD')];
      expect(head).toMatchObject({ status: 200 });
      const { date: _, ...headers } = head.headers;
      expect(get.headers).toMatchObject(headers);
      expect(Object.keys(get.headers).toSorted()).toEqual(Object.keys(head.headers).toSorted());
    }
  });

  it('gets no tag when it failed, or is no read, or is long', async () => {
    expect((await ask('/imgs/none')).headers['etag']).toBeUndefined();
    const query = JSON.stringify({ query: '{ me { roleName } }' });
    expect((await ask('/graphql', { 'Content-Type': 'application/json' }, 'POST', query)).headers['etag']).toBe(
      undefined,
    );
  });
});

describe('a tag', () => {
  it.each([
    ['"a"', true],
    ['W/"a"', true],
    ['"b", W/"a"', true],
    [' * ', true],
    ['"A"', false],
    ['a', false],
    ['', false],
    ['"b","ca"', false],
  ])('is compared weakly: %s', (header, expected) => {
    expect(namesTag(header, 'W/"a"')).toBe(expected);
  });
});

describe('compression', () => {
  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const)('gives the same body in less: %s', async (encoding, unpack) => {
    const plain = await ask('/imgs?limit=40');
    expect(plain.headers['content-encoding']).toBeUndefined();
    const { headers, bytes } = await askBytes('/imgs?limit=40', encoding);
    expect(headers).toMatchObject({
      'content-encoding': encoding,
      'content-length': String(bytes.length),
      'content-type': 'application/json',
      vary: 'Accept, Accept-Encoding, API-Key',
      etag: plain.headers['etag'],
    });
    expect(unpack(bytes).toString()).toBe(plain.body);
    expect(bytes.length).toBeLessThan(Number(plain.headers['content-length']) / 3);
  });

  it('is for GraphQL too, on both ways into it', async () => {
    const query = '{ images(limit: 40) { results { imageId title src width height } } }';
    const headers = { 'Content-Type': 'application/json', 'Accept-Encoding': 'gzip' };
    for (const _ of ['new', 'known']) {
      const reply = await ask('/graphql', headers, 'POST', JSON.stringify({ query }));
      expect([reply.status, reply.headers['content-encoding']]).toEqual([200, 'gzip']);
    }
  });

  it('leaves short replies as they are', async () => {
    const reply = await ask('/imgs/p1', { 'Accept-Encoding': 'gzip, br' });
    expect(reply.headers['content-encoding']).toBeUndefined();
    expect(Number(reply.headers['content-length'])).toBeLessThan(compressFrom);
  });

  it.each([
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['gzip;q=0.5, br;q=0.5', 'br'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['*', 'br'],
    ['*;q=0.1, br;q=0', 'gzip'],
    ['br;q=0, gzip;q=0', 'identity'],
    ['identity', 'identity'],
    ['identity, gzip;q=0.5', 'identity'],
    ['gzip;q=0.001', 'gzip'],
    ['deflate, zstd', 'identity'],
    ['gzip;q=many', 'identity'],
    ['br ; q = 0.5', 'br'],
    ['', 'identity'],
    [undefined, 'identity'],
  ])('is chosen by weight: %s', (accept, expected) => {
    expect(chooseEncoding(accept)).toBe(expected);
  });
});

describe('a page', () => {
  it('may run its own scripts and no others, and stand in no frame', async () => {
    for (const path of ['/', '/graphql']) {
      const { headers } = await ask(path, { Accept: 'text/html', 'Accept-Encoding': 'gzip' }, 'HEAD');
      const policy = headers['content-security-policy'] ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/script-src[^;]*unsafe/);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'cache-control': 'no-cache',
      });
      expect(headers['x-powered-by']).toBeUndefined();
    }
  });

  it('is sent in the encoding that the client reads, the large one too', full, async () => {
    for (const path of ['/', '/graphql']) {
      const plain = await askBytes(path, 'identity');
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(plain.bytes.toString()).toContain('<title>Vitrine</title>');
      const gzip = await askBytes(path, 'gzip');
      expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
      const br = await askBytes(path, 'br');
      expect(brotliDecompressSync(br.bytes).equals(plain.bytes)).toBe(true);
    }
  });

  it('lists scripts that stand in it by hash, and takes others from this server', () => {
    const policy = policyOf('<script src="/a.js"></script><script type="module">run()</script>');
    const expected = createHash('sha256').update('run()').digest('base64');
    expect(policy).toContain(`script-src 'self' 'sha256-${expected}';`);
  });
});

it('answers what is no reading of a page as everywhere else', async () => {
  for (const path of ['/', '/health', '/ready', '/health/']) {
    const post = await ask(path, {}, 'POST');
    expect([path, post.status, post.headers['allow']]).toEqual([path, 405, 'GET, HEAD, OPTIONS']);
    const options = await ask(path, {}, 'OPTIONS');
    expect([path, options.status, options.headers['allow']]).toEqual([path, 204, 'GET, HEAD, OPTIONS']);
  }
  const options = await ask('*', {}, 'OPTIONS');
  expect([options.status, options.headers['allow']]).toEqual([204, 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT']);
  expect((await ask('http://somewhere.example/imgs/p1')).status).toBe(200);
});
