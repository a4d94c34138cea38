import { describe, expect, it } from 'vitest';
import { exchange } from '../support/raw.ts';
import { withWorld } from '../support/shared-world.ts';
import type { SharedWorld } from '../support/world.ts';

let world: SharedWorld;
let key: string;
withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld({ worker: false });
  ({ key } = await world.client());
});

const host = 'Host: x\r\n';
const hidden = `GET /ready HTTP/1.1\r\n${host}\r\n`;
/** A body that hides a request, for whoever reads the one in front of it differently. */
const chunked = `0\r\n\r\n${hidden}`;

describe('a request that two servers could read differently', () => {
  it.each([
    ['two hosts', `GET /health HTTP/1.1\r\n${host}Host: y\r\n\r\n`, 400],
    ['the same host twice', `GET /health HTTP/1.1\r\n${host}hOST: x\r\n\r\n`, 400],
    ['no host', 'GET /health HTTP/1.1\r\n\r\n', 400],
    ['a host with a blank', 'GET /health HTTP/1.1\r\nHost: x y\r\n\r\n', 400],
    ['a host with a path', 'GET /health HTTP/1.1\r\nHost: x/y\r\n\r\n', 400],
    ['hosts in a list with a user', 'GET /health HTTP/1.1\r\nHost: a@x\r\n\r\n', 400],
    ['HTTP/0.9', 'GET /health\r\n\r\n', 400],
    ['HTTP/0.9 by name', `GET /health HTTP/0.9\r\n${host}\r\n`, 400],
    ['HTTP/1.2', `GET /health HTTP/1.2\r\n${host}\r\n`, 400],
    ['HTTP/2.0', `GET /health HTTP/2.0\r\n${host}\r\n`, 400],
    ['chunked twice', `POST /imgs HTTP/1.1\r\n${host}Transfer-Encoding: chunked, chunked\r\n\r\n${chunked}`, 400],
    [
      'chunked in two headers',
      `POST /imgs HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
      400,
    ],
    ['identity', `POST /imgs HTTP/1.1\r\n${host}Transfer-Encoding: identity\r\n\r\n${hidden}`, 400],
    ['chunked, identity', `POST /imgs HTTP/1.1\r\n${host}Transfer-Encoding: chunked, identity\r\n\r\n${chunked}`, 400],
    ['identity, chunked', `POST /imgs HTTP/1.1\r\n${host}Transfer-Encoding: identity, chunked\r\n\r\n${chunked}`, 501],
    ['gzip, chunked', `POST /imgs HTTP/1.1\r\n${host}Transfer-Encoding: gzip, chunked\r\n\r\n${chunked}`, 501],
    ['xchunked', `POST /imgs HTTP/1.1\r\n${host}Transfer-Encoding: xchunked\r\n\r\n${chunked}`, 400],
    ['chunked with a parameter', `POST /imgs HTTP/1.1\r\n${host}Transfer-Encoding: chunked;q=1\r\n\r\n${chunked}`, 400],
    ['a tab in the coding', `POST /imgs HTTP/1.1\r\n${host}Transfer-Encoding: \x0bchunked\r\n\r\n${chunked}`, 400],
    ['chunked in HTTP/1.0', `POST /imgs HTTP/1.0\r\n${host}Transfer-Encoding: chunked\r\n\r\n${chunked}`, 400],
    [
      'a length and a coding',
      `POST /imgs HTTP/1.1\r\n${host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
      400,
    ],
    [
      'a coding and a length',
      `POST /imgs HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n${chunked}`,
      400,
    ],
    [
      'a length and identity',
      `POST /imgs HTTP/1.1\r\n${host}Content-Length: 5\r\nTransfer-Encoding: identity\r\n\r\n${hidden}`,
      400,
    ],
    [
      'the same length twice',
      `POST /imgs HTTP/1.1\r\n${host}Content-Length: 5\r\nContent-Length: 5\r\n\r\nabcde${hidden}`,
      400,
    ],
    ['lengths in a list', `POST /imgs HTTP/1.1\r\n${host}Content-Length: 5, 5\r\n\r\nabcde${hidden}`, 400],
    ['a negative length', `POST /imgs HTTP/1.1\r\n${host}Content-Length: -5\r\n\r\nabcde${hidden}`, 400],
    ['a length in hexadecimal', `POST /imgs HTTP/1.1\r\n${host}Content-Length: 0x5\r\n\r\nabcde${hidden}`, 400],
    [
      'a length beyond 64 bits',
      `POST /imgs HTTP/1.1\r\n${host}Content-Length: 18446744073709551621\r\n\r\nabcde${hidden}`,
      400,
    ],
    ['an empty length', `POST /imgs HTTP/1.1\r\n${host}Content-Length:\r\n\r\n${hidden}`, 400],
    [
      'a chunk beyond 64 bits',
      `POST /imgs HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n10000000000000005\r\nabcde\r\n${chunked}`,
      400,
    ],
    [
      'a chunk of negative size',
      `POST /imgs HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n-5\r\nabcde\r\n${chunked}`,
      400,
    ],
    [
      'a chunk size in 0x',
      `POST /imgs HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n0x5\r\nabcde\r\n${chunked}`,
      400,
    ],
    [
      'a chunk with a line feed alone',
      `POST /imgs HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n5\nabcde\r\n${chunked}`,
      400,
    ],
    [
      'a chunk without its end',
      `POST /imgs HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n5\r\nabcdeXX${chunked}`,
      400,
    ],
    ['a line feed after the first line', `GET /health HTTP/1.1\n${host}\r\n`, 400],
    ['line feeds alone', 'GET /health HTTP/1.1\nHost: x\n\n', 400],
    ['a carriage return alone', `GET /health HTTP/1.1\r\n${host}X: a\rY: b\r\n\r\n`, 400],
    ['a blank before the colon', `POST /imgs HTTP/1.1\r\n${host}Content-Length : 5\r\n\r\nabcde${hidden}`, 400],
    ['a tab before the colon', `POST /imgs HTTP/1.1\r\n${host}Content-Length\t: 5\r\n\r\nabcde${hidden}`, 400],
    ['a blank before the first header', `GET /health HTTP/1.1\r\n ${host}\r\n`, 400],
    ['a folded header', `GET /health HTTP/1.1\r\n${host}X: a\r\n\tb\r\n\r\n`, 400],
    ['a folded coding', `POST /imgs HTTP/1.1\r\n${host}Transfer-Encoding:\r\n chunked\r\n\r\n${chunked}`, 400],
    ['a header without a name', `GET /health HTTP/1.1\r\n${host}: x\r\n\r\n`, 400],
    ['a header without a colon', `GET /health HTTP/1.1\r\n${host}X\r\n\r\n`, 400],
    ['a blank in the address', `GET /hea lth HTTP/1.1\r\n${host}\r\n`, 400],
    ['a NUL in the address', `GET /health\0 HTTP/1.1\r\n${host}\r\n`, 400],
  ])('is refused, and its connection ends: %s', async (_, bytes, status) => {
    // With a key, so that the fault is met before a refusal is.
    const known = bytes.replace('POST /imgs HTTP/1.1\r\n', `$&API-Key: ${key}\r\n`);
    const replies = await exchange(world.url, known);
    expect(replies.map((reply) => reply.status)).toEqual([status]);
    const [{ headers, body }] = replies as [(typeof replies)[0]];
    expect(headers).toMatchObject({ connection: 'close', 'api-version': '1.0.0' });
    expect(headers['x-request-id']).toBeDefined();
    expect(JSON.parse(body)).toMatchObject({ detail: expect.any(String), code: expect.any(String) });
  });

  it.each([
    ['in one packet', (chunks: string) => [chunks]],
    ['in several', (chunks: string) => [chunks.slice(0, 20_000), chunks.slice(20_000)]],
  ])('is refused for a body of too many small chunks, %s', async (_, split) => {
    const head = `POST /imgs HTTP/1.1\r\n${host}API-Key: ${key}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const [reply] = await exchange(world.url, head, ...split('1\r\n \r\n'.repeat(10_000)));
    expect(reply?.status).toBe(400);
    expect(JSON.parse(reply?.body ?? '')).toMatchObject({
      detail: expect.stringContaining('too many small pieces') as string,
      code: 'invalid_http',
    });
  });

  it.each([
    ['a host with a port', `GET /health HTTP/1.1\r\nHost: [::1]:4000\r\nConnection: close\r\n\r\n`],
    ['an empty host', `GET /health HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n`],
    [
      'a coding in capitals',
      `GET /health HTTP/1.1\r\n${host}Connection: close\r\nTransfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n`,
    ],
    ['HTTP/1.0 without a host', 'GET /health HTTP/1.0\r\n\r\n'],
    ['an empty line before it', `\r\nGET /health HTTP/1.1\r\n${host}Connection: close\r\n\r\n`],
    [
      'a chunk with an extension',
      `GET /health HTTP/1.1\r\n${host}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\nx\r\n0\r\n\r\n`,
    ],
  ])('is none that is merely unusual: %s', async (_, bytes) => {
    expect((await exchange(world.url, bytes)).map(({ status }) => status)).toEqual([200]);
  });
});
