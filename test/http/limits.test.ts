import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../src/http/limits.ts';
import { exchange, openWire, parseReplies } from '../support/raw.ts';
import type { RawReply } from '../support/raw.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

const mebibyte = 2 ** 20;
const small = { ...limits, bodyBytes: 2 * mebibyte, bodyIdleMs: 400, lingerMs: 500, headersMs: 300, requestMs: 900 };
let world: World;
let client: Client;
beforeAll(async () => {
  world = await openWorld({ worker: false, http: { limits: small } });
  client = await world.client();
});
afterAll(() => world.close());

const head = (line: string, ...headers: string[]) =>
  `${[`${line} HTTP/1.1`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`;
const keyed = () => `API-Key: ${client.key}`;

function expectOurs(reply: RawReply | undefined, status: number, code: string): void {
  expect(reply).toMatchObject({ status, headers: { 'api-version': '1.0.0', 'x-content-type-options': 'nosniff' } });
  expect(reply?.headers['x-request-id']).toBeDefined();
  expect(JSON.parse(reply?.body ?? '')).toMatchObject({ detail: expect.any(String), code });
}

describe('an address', () => {
  it('may be as long as a formula of 4096 code points beside every field', async () => {
    const formula = encodeURIComponent('😀'.repeat(4096));
    expect(formula).toHaveLength(49_152);
    const fields = Array.from({ length: 60 }, () => 'fields=url_img_watermark').join('&');
    const { status } = await client.rest('GET', `/imgs?q=${formula}&${fields}`);
    expect(status).not.toBe(414);
    expect(status).toBeLessThan(600);
  });

  it('is 414 beyond, in JSON', async () => {
    const at = `/me?x=${'a'.repeat(limits.urlBytes - '/me?x='.length)}`;
    expect((await client.rest('GET', at)).status).toBe(200);
    const replies = await exchange(world.url, head(`GET ${at}a`, keyed(), 'Connection: close'));
    expectOurs(replies[0], 414, 'too_large');
  });
});

describe('headers', () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => `X-${i}: 1`);

  it('are 431 when they are too many, and none is dropped without a word before', async () => {
    const fits = await exchange(world.url, head('GET /me', ...many(limits.headers - 3), keyed(), 'Connection: close'));
    expect(fits[0]?.status).toBe(200);
    const beyond = await exchange(world.url, head('GET /me', 'Connection: close', keyed(), ...many(limits.headers)));
    expectOurs(beyond[0], 431, 'too_large');
    const hostLast = [...many(limits.headers), 'Host: x', 'Connection: close'];
    expectOurs(
      (await exchange(world.url, `GET /me HTTP/1.1\r\n${hostLast.join('\r\n')}\r\n\r\n`))[0],
      431,
      'too_large',
    );
  });

  it('are 431 when they are too large together, each by its bytes as sent', async () => {
    const sized = (bytes: number) => {
      const others = ['Host: x', 'Connection: close', keyed()].reduce((sum, line) => sum + line.length + 2, 0);
      return head('GET /me', 'Connection: close', keyed(), `X: ${'a'.repeat(bytes - others - 'X: \r\n'.length)}`);
    };
    expect((await exchange(world.url, sized(limits.headerBytes)))[0]?.status).toBe(200);
    expectOurs((await exchange(world.url, sized(limits.headerBytes + 1)))[0], 431, 'too_large');
  });

  it('say which host is meant', async () => {
    expectOurs(
      (await exchange(world.url, 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'))[0],
      400,
      'invalid_http',
    );
    expect((await exchange(world.url, 'GET /health HTTP/1.0\r\n\r\n'))[0]?.status).toBe(200);
  });
});

describe('what is expected', () => {
  it('gets 100 Continue only if the body will be read', async () => {
    const wire = await openWire(world.url);
    const body = '[{"id":"a"}]';
    wire.write(
      head('DELETE /imgs', keyed(), 'Expect: 100-continue', `Content-Length: ${body.length}`, 'Connection: close'),
    );
    await expect.poll(() => wire.received().toString()).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\n/);
    wire.write(body);
    expect((await wire.ended).map(({ status }) => status)).toEqual([100, 202]);
  });

  it('is refused before the body when it is too large, or the path is wrong', async () => {
    const large = `Content-Length: ${3 * mebibyte}`;
    const expectation = 'Expect: 100-continue';
    expectOurs((await exchange(world.url, head('POST /imgs', keyed(), expectation, large)))[0], 413, 'too_large');
    expect((await exchange(world.url, head('POST /nowhere', keyed(), expectation, large)))[0]?.status).toBe(404);
  });

  it('is 417 when it is something else', async () => {
    const replies = await exchange(world.url, head('GET /me', keyed(), 'Expect: a-miracle', 'Connection: close'));
    expect(replies).toHaveLength(1);
    expectOurs(replies[0], 417, 'expectation_failed');
  });
});

describe('a body', () => {
  it('is 413 when it grows too large, and the sender can read that while it still sends', async () => {
    const wire = await openWire(world.url);
    wire.write(head('POST /imgs', keyed(), 'Transfer-Encoding: chunked'));
    const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
    for (let i = 0; i < 100; i += 1) wire.write(chunk);
    wire.write('0\r\n\r\n');
    await expect.poll(() => wire.received().toString()).toMatch(/^HTTP\/1.1 413 [\s\S]*too_large/);
    wire.write(head('GET /health', 'Connection: close')); // The connection is as good as before.
    expect((await wire.ended).map(({ status }) => status)).toEqual([413, 200]);
  });

  it('is thrown away for a moment after a refusal, then the connection ends', async () => {
    const wire = await openWire(world.url);
    wire.write(head('POST /nowhere', `Content-Length: ${mebibyte}`));
    await expect.poll(() => wire.received().toString()).toMatch(/^HTTP\/1.1 404 /);
    await new Promise((resolve) => wire.socket.once('close', resolve));
    expect(parseReplies(wire.received())).toHaveLength(1); // Not the time-out of the whole request.
  });

  it('is 408 when it stops coming', async () => {
    for (const path of ['/imgs', '/graphql']) {
      const wire = await openWire(world.url);
      wire.write(head(`POST ${path}`, keyed(), 'Content-Length: 1000', 'Content-Type: application/json'));
      wire.write('[{"id":');
      await expect
        .poll(() => wire.received().toString(), { timeout: 5_000 })
        .toMatch(/^HTTP\/1.1 408 [\s\S]*"timeout"/);
      await new Promise((resolve) => wire.socket.once('close', resolve));
    }
  });

  it('is 408 when it trickles', async () => {
    const wire = await openWire(world.url);
    wire.write(head('POST /imgs', keyed(), 'Content-Length: 1000'));
    const trickle = setInterval(() => wire.write('a'), 100);
    const replies = await wire.ended;
    clearInterval(trickle);
    expect(replies).toHaveLength(1);
    expectOurs(replies[0], 408, 'timeout');
  });

  it('is forgotten when its sender goes away, and nothing is accepted', async () => {
    const other = await world.client();
    const request = httpRequest(`${world.url}/imgs`, {
      method: 'POST',
      headers: { 'API-Key': other.key, 'Content-Type': 'application/json', 'Content-Length': 100_000 },
    });
    request.on('error', () => {});
    request.write('[{"id":"a","src":"http://127.0.0.1/a"}');
    await new Promise((resolve) => setTimeout(resolve, 50));
    request.destroy();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await other.rest('GET', '/ops')).body).toEqual([]);
  });
});
