import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../../src/http/limits.ts';
import { createServer } from '../../src/http/connection/server.ts';
import { exchange, openWire } from '../support/raw.ts';
import type { RawReply } from '../support/raw.ts';
import { withWorld } from '../support/shared-world.ts';
import type { SharedWorld } from '../support/world.ts';

let world: SharedWorld;
withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld({ worker: false });
});

const host = 'Host: x\r\n';

function expectOurs({ headers, body }: RawReply): void {
  expect(headers).toMatchObject({
    'api-version': '1.0.0',
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
  expect(headers['x-request-id']).toMatch(/^[\w-]{10,}$/);
  expect(Object.keys(JSON.parse(body) as object)).toContain('detail');
}

async function only(...pieces: string[]): Promise<RawReply> {
  const replies = await exchange(world.url, ...pieces);
  expect(replies).toHaveLength(1);
  const [reply] = replies as [RawReply];
  expectOurs(reply);
  return reply;
}

describe('bytes that are no request', () => {
  it.each(['\n[', '\n\n[', '\r\n[', '[', '\n \n[', 'X\n['])('are answered 400: %j', async (bytes) => {
    expect((await only(bytes)).status).toBe(400);
  });

  it('never keep the process from its work', async () => {
    const parts = ['\n', '\r\n', ' ', '[', 'FOO /imgs HTTP/1.1', 'GET /health HTTP/1.1', 'Host: x', '\r\n\r\n'];
    const bytes = fc
      .array(fc.constantFrom(...parts), { minLength: 1, maxLength: 6 })
      .map((some) => `${some.join('')}[\n[`);
    await fc.assert(
      fc.asyncProperty(bytes, async (some) => {
        const last = (await exchange(world.url, some)).at(-1);
        expect([400, 404, 405]).toContain(last?.status);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a verb that HTTP does not know', () => {
  it.each([
    ['FOO /imgs', 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT'],
    ['get /imgs', 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT'],
    ['Get /me?x=1', 'GET, HEAD, OPTIONS'],
    ['GETS /ops/1', 'DELETE, GET, HEAD, OPTIONS'],
    ['post http://example.com/ops', 'GET, HEAD, OPTIONS'],
    ['FOO /ready', 'GET, HEAD, OPTIONS'],
    ['x-y_z /', 'GET, HEAD, OPTIONS'],
  ])('is answered 405 with every method of the path: %s', async (start, allow) => {
    const reply = await only(`${start} HTTP/1.1\r\n${host}\r\n`);
    expect([reply.status, JSON.parse(reply.body), reply.headers['allow']]).toEqual([
      405,
      { detail: 'Method Not Allowed' },
      allow,
    ]);
  });

  it('is answered 405 at /graphql in the form of GraphQL', async () => {
    const [reply] = await exchange(world.url, `FOO /graphql/ HTTP/1.1\r\n${host}\r\n`);
    const errors = [{ message: 'Method Not Allowed', extensions: { code: 'invalid_argument' } }];
    expect([reply?.status, JSON.parse(reply?.body ?? ''), reply?.headers['allow']]).toEqual([
      405,
      { errors },
      'GET, HEAD, OPTIONS, POST',
    ]);
  });

  it('is 404 where nothing is served, and 400 where no path can be read', async () => {
    expect((await only(`FOO /nowhere HTTP/1.1\r\n${host}\r\n`)).status).toBe(404);
    expect((await only(`FO`, `O /imgs HTTP/1.1\r\n${host}\r\n`)).status).toBe(400);
    expect((await only('\x16\x03\x01\x02\x00\x01\x00\x01')).status).toBe(400);
  });

  it('waits behind an answer that was asked for on the same connection', async () => {
    const first = `GET /ready HTTP/1.1\r\n${host}\r\n`;
    const replies = await exchange(world.url, `${first}${first}FOO /imgs HTTP/1.1\r\n${host}\r\n`);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 405]);
  });

  it('is refused for CONNECT too', async () => {
    const reply = await only(`CONNECT example.com:443 HTTP/1.1\r\n${host}\r\n`);
    expect([reply.status, reply.headers['allow']]).toEqual([405, 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT']);
  });
});

describe('input that is no HTTP', () => {
  it.each([
    ['both lengths', `Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['both lengths, the other way round', `Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n`],
    ['two lengths', `Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`],
    ['a length that is no number', `Content-Length: +3\r\n\r\nabc`],
    ['an encoding that does not end in chunked', `Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`],
    ['blanks before the colon', `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`],
    ['a chunk without a size', `Transfer-Encoding: chunked\r\n\r\nZZ\r\n\r\n`],
    ['a folded header', `X: a\r\n b\r\n\r\n`],
    ['a NUL in a header', `X: a\0b\r\n\r\n`],
    ['a line feed alone', `X: a\nY: b\r\n\r\n`],
  ])('is answered 400 and the connection ends: %s', async (_, rest) => {
    const reply = await only(`POST /imgs HTTP/1.1\r\n${host}${rest}`);
    expect([reply.status, JSON.parse(reply.body).code]).toEqual([400, 'invalid_http']);
  });

  it('never lets the rest be read as a request of its own', async () => {
    const hidden = `GET /health HTTP/1.1\r\n${host}\r\n`;
    const start = `POST /imgs HTTP/1.1\r\n${host}Content-Length: ${hidden.length + 5}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect((await only(`${start}0\r\n\r\n${hidden}`)).status).toBe(400);
  });

  it('is another version of HTTP', async () => {
    expect((await only(`GET /health HTTP/9.9\r\n${host}\r\n`)).status).toBe(400);
    expect((await only('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')).status).toBe(400);
  });

  it('is a body that ends before its length', async () => {
    const wire = await openWire(world.url);
    const { key } = await world.client();
    wire.write(`POST /imgs HTTP/1.1\r\n${host}API-Key: ${key}\r\nContent-Length: 30\r\n\r\n[{"id":`);
    wire.socket.end();
    const [reply] = (await wire.ended) as [RawReply];
    expectOurs(reply);
    expect(reply.status).toBe(400);
  });

  it('keeps the id that the caller gave', async () => {
    const reply = await only(`FOO /imgs HTTP/1.1\r\n${host}X-Request-Id: my-request-id-7\r\n\r\n`);
    expect(reply.headers['x-request-id']).toBe('my-request-id-7');
    const chunk = await only(
      `POST /imgs HTTP/1.1\r\n${host}X-Request-Id: my-request-id-8\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n\r\n`,
    );
    expect(chunk.headers['x-request-id']).toBe('my-request-id-8');
  });

  it('is answered at once, however many blanks a header has', async () => {
    // A regular expression that tries each place for the end of a value would take minutes.
    for (const blanks of [' '.repeat(12_000), `${' '.repeat(6_000)}\n${' '.repeat(6_000)}`]) {
      const reply = await only(
        `FOO /imgs HTTP/1.1\r\n${host}X-Request-Id:${blanks}a${blanks}b\r\nAccept:${blanks}\r\n\r\n`,
      );
      expect(reply.status).toBe(405);
    }
  });
});

describe('too much', () => {
  it('is 431 for headers, even to a sender that goes on sending', async () => {
    for (const length of [100_000, 3_000_000]) {
      const header = `Cookie: ${'name=value; '.repeat(length / 12)}`;
      const reply = await only(`GET /health HTTP/1.1\r\n${host}${header}\r\n\r\n`);
      expect([length, reply.status]).toEqual([length, 431]);
    }
  });

  it('is reported to a client that reads only after it has sent everything', async () => {
    const wire = await openWire(world.url);
    wire.socket.pause();
    wire.write(`GET /health HTTP/1.1\r\n${host}Cookie: ${'name=value; '.repeat(9_000)}`);
    for (let i = 0; i < 5; i += 1) {
      await new Promise((resolve) => setTimeout(resolve, 60));
      wire.write('name=value; ');
    }
    wire.socket.resume();
    expect((await wire.ended).map(({ status }) => status)).toEqual([431]);
  });

  it('is 414 for an address, even to a sender that goes on sending', async () => {
    for (const length of [100_000, 3_000_000]) {
      const reply = await only(`GET /imgs?q=${'a'.repeat(length)} HTTP/1.1\r\n${host}\r\n`);
      expect([length, reply.status]).toEqual([length, 414]);
    }
  });
});

describe('too slow', () => {
  it('is 408 for headers', async () => {
    const server = createServer((_, response) => response.end(), { ...limits, headersMs: 300 });
    const url = await listen(server);
    const [reply] = (await exchange(url, 'GET /health HTTP/1.1\r\n')) as [RawReply];
    expectOurs(reply);
    expect([reply.status, JSON.parse(reply.body).code]).toEqual([408, 'timeout']);
    server.close();
  });

  it('is no answer at all where one is being written', async () => {
    const server = createServer((_, response) => response.writeHead(200, { 'Content-Length': '10' }).write('half '), {
      ...limits,
    });
    const url = await listen(server);
    const wire = await openWire(url);
    wire.write(`POST /imgs HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n`);
    await expect.poll(() => wire.received().toString()).toContain('half ');
    wire.write('ZZ\r\n\r\n');
    await new Promise((resolve) => wire.socket.once('close', resolve));
    expect(wire.received().toString().endsWith('half ')).toBe(true);
    server.close();
  });
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
