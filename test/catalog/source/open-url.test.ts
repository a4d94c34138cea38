import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createAddressGuard } from '../../../src/catalog/source/address-guard.ts';
import { fetchLimits } from '../../../src/catalog/source/http-request.ts';
import type { FetchLimits } from '../../../src/catalog/source/http-request.ts';
import { openUrl } from '../../../src/catalog/source/open-url.ts';
import { give, serveWeb } from '../../support/web.ts';
import type { Habit, Web } from '../../support/web.ts';

const guard = createAddressGuard(['127.0.0.0/8']);
const webs: Web[] = [];
afterEach(async () => {
  for (const web of webs.splice(0)) await web.close();
});

async function serve(listener: RequestListener): Promise<Web> {
  const web = await serveWeb(listener);
  webs.push(web);
  return web;
}

const serveBytes = (bytes: Buffer, habit: Habit) => serve((request, response) => give(bytes, habit, request, response));
const open = (url: string, limits: Partial<FetchLimits> = {}, signal?: AbortSignal) =>
  openUrl(url, { guard, limits: { ...fetchLimits, ...limits }, ...(signal && { signal }) });

const fault = (code: string, reason: string) =>
  expect.objectContaining({ name: 'ElementError', code, field: 'src', message: expect.stringContaining(reason) });

const kib = 1024;
const bytes = Buffer.from(Array.from({ length: 300 * kib }, (_, index) => (index * 7) % 251));

describe('a source that is opened', () => {
  it.each(['ranges', 'whole', 'chunks'] as const)('gives any of its bytes from a server of %s', async (habit) => {
    const { url } = await serveBytes(bytes, habit);
    const source = await open(url);
    expect(source.size).toBe(bytes.length);
    for (const [start, end] of [
      [0, 10],
      [290 * kib, 300 * kib],
      [64 * kib - 1, 64 * kib + 1],
      [5, 200 * kib],
      [0, bytes.length],
    ] as const) {
      expect(Buffer.from(await source.read(start, end)).equals(bytes.subarray(start, end))).toBe(true);
    }
    expect(source.bytesRead()).toBe(bytes.length);
    await source.close();
  });

  it('is read by ranges as far as is needed, each block once', async () => {
    const { url, ranges } = await serveBytes(bytes, 'ranges');
    const source = await open(url);
    await source.read(10, 20);
    await Promise.all([source.read(200 * kib, 200 * kib + 9), source.read(200 * kib + 9, 200 * kib + 20)]);
    expect(ranges).toEqual(['bytes=0-65535', 'bytes=196608-262143']);
    expect(source.bytesRead()).toBe(128 * kib);
  });

  it('is read from its beginning where the server knows no ranges, and the rest is not taken', async () => {
    let sent: ServerResponse | undefined;
    const { url } = await serve((_request, response) => {
      sent = response.writeHead(200, { 'content-length': String(2 ** 30) });
      response.write(bytes);
    });
    const source = await open(url);
    expect(Buffer.from(await source.read(100, 200)).equals(bytes.subarray(100, 200))).toBe(true);
    expect([source.isSeekable, source.size]).toEqual([false, 2 ** 30]);
    expect(source.bytesRead()).toBeLessThanOrEqual(bytes.length);
    const closed = sent === undefined ? null : once(sent, 'close');
    await source.close();
    await closed;
  });

  it.each(['ranges', 'whole', 'chunks'] as const)('may be empty at a server of %s', async (habit) => {
    const { url } = await serveBytes(Buffer.alloc(0), habit);
    expect((await open(url)).size).toBe(0);
  });
});

describe('every range', () => {
  it('passes the address guard: one that is led elsewhere is refused', async () => {
    let count = 0;
    const { url } = await serve((request, response) => {
      if ((count += 1) === 1) give(bytes, 'ranges', request, response);
      else response.writeHead(302, { location: 'http://10.0.0.1/video.mp4' }).end();
    });
    const source = await open(url);
    await expect(source.read(200 * kib, 201 * kib)).rejects.toEqual(fault('source_forbidden', 'non-public'));
  });

  it('is asked of the address that a redirect led to', async () => {
    const target = await serveBytes(bytes, 'ranges');
    const { url, ranges } = await serve((_request, response) =>
      response.writeHead(302, { location: target.url }).end(),
    );
    const source = await open(url);
    await source.read(200 * kib, 201 * kib);
    expect([ranges.length, target.ranges.length]).toEqual([1, 2]);
  });

  it.each<[string, RequestListener]>([
    ['the whole again', (request, response) => give(bytes, 'whole', request, response)],
    ['a part of another size', (request, response) => give(bytes.subarray(9), 'ranges', request, response)],
    [
      'another part',
      (_request, response) =>
        response.writeHead(206, { 'content-range': 'bytes 0-9/307200' }).end(bytes.subarray(0, 10)),
    ],
    ['a part without saying which', (_request, response) => response.writeHead(206).end(bytes.subarray(0, 10))],
  ])('that gives %s ends the reading', async (_what, answer) => {
    let count = 0;
    const { url } = await serve((request, response) =>
      (count += 1) === 1 ? give(bytes, 'ranges', request, response) : answer(request, response),
    );
    const source = await open(url);
    await expect(source.read(200 * kib, 201 * kib)).rejects.toEqual(fault('source_unreachable', 'changed while'));
  });

  it('names the version that the first one gave', async () => {
    const conditions: unknown[] = [];
    const { url } = await serve((request, response) => {
      conditions.push(request.headers['if-range']);
      give(bytes, 'ranges', request, response, { etag: '"v1"' });
    });
    const source = await open(url);
    await source.read(200 * kib, 201 * kib);
    expect(conditions).toEqual([undefined, '"v1"']);
  });

  it('counts towards the bytes that a source may give', async () => {
    const { url } = await serveBytes(bytes, 'ranges');
    const source = await open(url, { maxBytes: 130 * kib });
    await source.read(200 * kib, 201 * kib);
    await expect(source.read(100 * kib, 101 * kib)).rejects.toEqual(fault('too_large', 'larger than'));
  });
});

describe('a source that does not end', () => {
  const endless: RequestListener = (_request, response) => {
    // At once, newer Node would call back before it notices that the connection has ended.
    const more = () => response.destroyed || response.write(bytes, () => setImmediate(more));
    more();
  };

  it('is too large where it states no size', async () => {
    const { url } = await serve(endless);
    await expect(open(url, { maxBytes: 2 ** 20 })).rejects.toEqual(fault('too_large', 'larger than 1 MiB'));
  });

  it('is too large where its reader goes on and on', async () => {
    const { url } = await serve((request, response) => {
      response.writeHead(200, { 'content-length': String(2 ** 40) });
      endless(request, response);
    });
    const source = await open(url, { maxBytes: 2 ** 20 });
    await source.read(0, 2 ** 19);
    await expect(source.read(2 ** 20, 2 ** 20 + 1)).rejects.toEqual(fault('too_large', 'larger than 1 MiB'));
  });
});

describe('a source that is slow', () => {
  const slow = { totalTimeoutMs: 300 };

  it.each<[string, RequestListener]>([
    ['says nothing', () => {}],
    ['begins and stops', (_request, response) => response.writeHead(200, { 'content-length': '99' }).write('x')],
    [
      'begins a range and stops',
      (_request, response) => response.writeHead(206, { 'content-range': 'bytes 0-98/99' }).write('x'),
    ],
  ])('and %s is given up', async (_what, answer) => {
    const { url } = await serve(answer);
    const reading = open(url, slow).then((source) => source.read(0, 50));
    await expect(reading).rejects.toEqual(fault('source_unreachable', 'no complete answer within 0.3 s'));
  });

  it('may break off between two reads, which the next one meets', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': String(2 ** 30) });
      response.write(bytes, () => setTimeout(() => response.destroy(), 50));
    });
    const source = await open(url);
    await source.read(0, 10);
    await new Promise((resolve) => setTimeout(resolve, 150));
    await expect(source.read(0, 2 ** 20)).rejects.toEqual(fault('source_unreachable', 'src cannot be read'));
  });

  it('is left when the write is aborted', async () => {
    const { url } = await serve(() => {});
    const aborting = new AbortController();
    const reading = open(url, {}, aborting.signal);
    setTimeout(() => aborting.abort(), 50);
    await expect(reading).rejects.toThrow('aborted');
  });
});

it.each([404, 403, 500, 416, 204])('an answer of %i is no source', async (status) => {
  const { url } = await serve((_request, response) => response.writeHead(status).end());
  await expect(open(url)).rejects.toEqual(fault('source_unreachable', `the server answered ${status}`));
});

it.each(['http://127.0.0.2.nip.invalid/', 'ftp://127.0.0.1/', 'http://user@127.0.0.1/', 'http://169.254.169.254/'])(
  'the address %s is not opened',
  async (url) => {
    await expect(open(url)).rejects.toMatchObject({ name: 'ElementError', field: 'src' });
  },
);
