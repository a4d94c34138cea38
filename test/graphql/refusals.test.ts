import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../src/http/limits.ts';
import { exchange } from '../support/raw.ts';
import type { RawReply } from '../support/raw.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

const small = {
  ...limits,
  bodyBytes: 200_000,
  bodiesBytes: 400_000 * 4,
  tenantBodiesBytes: 100_000 * 4,
  bodyWaitMs: 100,
};
let world: World;
let client: Client;
const stopping = new AbortController();
beforeAll(async () => {
  world = await openWorld({ worker: false, http: { limits: small, stopping: stopping.signal } });
  client = await world.client();
});
afterAll(() => world.close());

const modern = 'application/graphql-response+json';
const query = '{"query":"{me{tenant}}"}';
const json = 'Content-Type: application/json';
const keyed = () => `API-Key: ${client.key}`;
const padded = (length: number) => `{"query":"{me{tenant}}"${' '.repeat(length)}}`;

type Row = readonly [why: string, line: string, headers: () => string[], body: string, status: number, code: string];

/** Every refusal of the endpoint, before and behind its key. */
const rows: readonly Row[] = [
  ['no key', 'POST /graphql', () => [json], query, 401, 'unauthenticated'],
  ['a wrong key', 'POST /graphql', () => [json, 'API-Key: vt_wrong'], query, 401, 'invalid_key'],
  ['a wrong key at a first GET', 'GET /graphql?query={me{tenant}}', () => ['API-Key: x'], '', 401, 'invalid_key'],
  ['another method', 'PUT /graphql', () => [keyed(), json], query, 405, 'invalid_argument'],
  ['a method that HTTP does not know', 'FOO /graphql', () => [keyed()], '', 405, 'invalid_argument'],
  ['a body that is too large', 'POST /graphql', () => [keyed(), json], padded(200_000), 413, 'too_large'],
  ['a body of no type', 'POST /graphql', () => [keyed()], query, 415, 'unsupported_media'],
  ['a body of another type', 'POST /graphql', () => [keyed(), 'Content-Type: text/plain'], query, 415, 'unsupported_media'],
  ['a body that is no JSON', 'POST /graphql', () => [keyed(), json], '{', 400, 'invalid_argument'],
  ['a body without a document', 'POST /graphql', () => [keyed(), json], '{}', 400, 'invalid_argument'],
  ['a body that is no form', 'POST /graphql', () => [keyed(), 'Content-Type: multipart/form-data'], 'x', 400, 'invalid_argument'],
  ['more memory than its tenant has', 'POST /graphql', () => [keyed(), json], padded(150_000), 429, 'rate_limited'],
  ['an address that is too long', `GET /graphql?query=${'a'.repeat(70_000)}`, () => [keyed()], '', 414, 'too_large'],
  ['too many headers', 'POST /graphql', () => [keyed(), ...Array.from({ length: 250 }, (_, i) => `X-${i}: 1`)], query, 431, 'too_large'],
  ['an expectation', 'POST /graphql', () => [keyed(), json, 'Expect: wonders'], query, 417, 'expectation_failed'],
  ['a second host', 'POST /graphql', () => [keyed(), json, 'Host: y'], query, 400, 'invalid_http'],
  ['a header that cannot be parsed', 'POST /graphql', () => [keyed(), 'a b: c'], query, 400, 'invalid_http'],
  ['a chunked body that ends early', 'POST /graphql', () => [keyed(), json, 'Transfer-Encoding: chunked, x'], query, 400, 'invalid_http'],
]; // prettier-ignore

async function send([, line, headers, body]: Row, accept: string | null): Promise<RawReply> {
  const own = headers();
  const isFramed = own.some((header) => header.startsWith('Transfer-Encoding'));
  const lines = [
    `${line} HTTP/1.1`,
    'Host: x',
    ...(accept === null ? [] : [`Accept: ${accept}`]),
    ...own,
    ...(body === '' || isFramed ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    'Connection: close',
  ];
  const [reply] = await exchange(world.url, `${lines.join('\r\n')}\r\n\r\n${body}`);
  if (reply === undefined) throw new Error('no reply');
  return reply;
}

function expectGraphQL({ status, headers, body }: RawReply, type: string, row: Row): void {
  const error = { message: expect.any(String), extensions: expect.objectContaining({ code: row[5] }) };
  expect([status, headers['content-type']?.split(';')[0], JSON.parse(body)]).toEqual([
    row[4],
    type,
    { errors: [expect.objectContaining(error)] },
  ]);
  expect(headers['x-request-id']).toBeDefined();
}

describe.each(rows)('a request to /graphql with %s', (...row) => {
  it.each([
    [modern, modern],
    [`${modern}, application/json;q=0.9`, modern],
    [`application/json;q=0.5, ${modern};charset=utf-8`, modern],
    ['application/json', 'application/json'],
    [`application/json, ${modern};q=0.9`, 'application/json'],
    [`application/json, ${modern};q=0`, 'application/json'],
    ['*/*', 'application/json'],
    [null, 'application/json'],
  ])('is refused to Accept: %s as %s', async (accept, type) => {
    expectGraphQL(await send(row, accept), type, row);
  });
});

describe('a refusal of /graphql', () => {
  it('keeps its headers', async () => {
    const [refused, allowed] = [rows[0], rows[3]] as [Row, Row];
    expect((await send(refused, modern)).headers['www-authenticate']).toBe('APIKey');
    expect((await send(allowed, modern)).headers['allow']).toBe('GET, HEAD, OPTIONS, POST');
  });

  it('has no words of other endpoints beside its message', async () => {
    const { errors } = JSON.parse((await send(rows[5] as Row, modern)).body);
    expect(errors).toEqual([
      { message: 'The body is larger than 0.19073486328125 MiB', extensions: { code: 'too_large' } },
    ]);
  });

  it('has the same form where the service stops', async () => {
    stopping.abort();
    const row: Row = ['', 'POST /graphql', () => [keyed(), json], query, 503, 'unavailable'];
    for (const type of [modern, 'application/json']) expectGraphQL(await send(row, type), type, row);
    expect((await send(['', 'GET /imgs', () => [keyed()], '', 503, ''], modern)).body).toContain('"detail"');
  });
});
