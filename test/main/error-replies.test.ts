import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gif, png, tiffOf, webp } from '../support/hostile-pictures.ts';
import { leaksIn, reportsAnError } from '../support/leaks.ts';
import { createClient, openWorld } from '../support/world.ts';
import type { Answer, Client, World } from '../support/world.ts';

let world: World;
let client: Client;
let server: Server;
let port: number;

beforeAll(async () => {
  world = await openWorld({ sourceAllow: '127.0.0.1/32' });
  client = await world.client();
  server = createServer((request, response) => {
    if (request.url === '/private') response.writeHead(302, { location: 'http://10.0.0.1/' }).end();
    else if (request.url === '/round') response.writeHead(302, { location: '/round' }).end();
    else if (request.url === '/cut')
      response.writeHead(200, { 'content-length': 9 }).write('abc', () => response.destroy());
    else response.writeHead(500).end('Error: secret\n    at secret (/srv/secret.js:1:1)');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await world.close();
});

/** Runs while a table has another name, which makes a fault of ours of whatever needs it. */
async function without<T>(table: string, run: () => Promise<T>): Promise<T> {
  const { pool } = world.backing.database;
  await pool.query(`ALTER TABLE ${table} RENAME TO elsewhere`);
  try {
    return await run();
  } finally {
    await pool.query(`ALTER TABLE elsewhere RENAME TO ${table}`);
  }
}

/** The test client checks each error itself; here it is certain that there was one. */
function expectSilentError({ status, body }: Answer): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  expect(reportsAnError(status, text)).toBe(true);
  expect(leaksIn(text)).toEqual([]);
}

describe('the test for leaks', () => {
  it.each([
    ['a stack trace', '{"detail":"x\\n    at run (/srv/x/y.js)"}'],
    ['a stack trace', 'Error: x\n    at async Object.run'],
    ['a stack trace', 'at /srv/x/y.ts:12:3'],
    ['a module', 'Invalid `prisma.image.findMany()` invocation in'],
    ['SQL', 'SELECT id FROM image WHERE tenant_id = $1'],
    ['an error of PostgreSQL', 'relation \\"image\\" does not exist'],
    ['a folder of the server', `ENOENT: ${process.cwd()}/data/key`],
    ['an address of the network', 'connect ECONNREFUSED 127.0.0.1:5432'],
  ])('knows %s: %s', (name, text) => {
    expect(leaksIn(text)).toContain(name);
  });

  it('lets pass what a client sent itself', () => {
    expect(leaksIn('{"detail":[{"msg":"at least 1 (id 5)","input":"/etc/passwd; DROP TABLE image"}]}')).toEqual([]);
  });
});

describe('a reply about a mistake reveals no internals', () => {
  const json = { 'Content-Type': 'application/json' };

  it.each([
    ['GET', '/nowhere'],
    ['GET', '/imgs/%E0%A4%A'],
    ['GET', '/imgs/%00'],
    ['GET', '/imgs/../../etc/passwd'],
    ['GET', `/imgs/${'a'.repeat(5_000)}`],
    ['GET', '/imgs?limit=ten&page=0&sort_by=%27%3B--&fields=a'],
    ['GET', '/imgs?cursor=e30'],
    ['GET', '/ops/99999999999999999999'],
    ['GET', '/ops?created_after=0000-01-01'],
    ['PATCH', '/imgs', '{"id":'],
    ['POST', '/imgs', '[[[[['],
    ['POST', '/imgs', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['POST', '/imgs', '"\ud800"'],
    ['POST', '/imgs', [{ id: 'a', title: 5, keywords: 'x' }]],
    ['POST', '/imgs', [{ __proto__: null, constructor: 1 }]],
    ['PUT', '/graphql', '{}'],
    ['POST', '/graphql', '{"query":'],
    ['POST', '/graphql', '[]'],
    ['POST', '/graphql', { query: '{' }],
    ['POST', '/graphql', { query: '{ nothing }' }],
    ['POST', '/graphql', { query: `${'{a'.repeat(20_000)}` }],
    ['POST', '/graphql', { query: '{ me { tenant } }', variables: [] }],
    ['POST', '/graphql', { query: '{ me { tenant } }', operationName: '../x' }],
    [
      'POST',
      '/graphql',
      { query: 'query ($t: DateTime) { operations(createdAfter: $t) { count } }', variables: { t: {} } },
    ],
    ['POST', '/graphql', { query: 'query ($i: BigInt!) { operation(id: $i) { id } }', variables: { i: '\u0000' } }],
    ['GET', '/graphql?query=%7B'],
    ['GET', '/graphql?query={me{tenant}}&variables=%7B'],
    ['POST', '/graphql?x=1', '{"query":"{ me { tenant } }","file":"/etc/passwd"}'],
  ])('%s %.60s', async (method, path, body?) => {
    const answer = await client.rest(method, path, body, json);
    expectSilentError(answer);
    expect(answer.status).toBeLessThan(500);
  });

  it('without a key, with a wrong one, or with one that may not', async () => {
    const viewer = await world.client({ role: 'viewer' });
    const query = 'mutation { deleteImages(ids: ["a"]) { __typename } }';
    const statuses: number[] = [];
    for (const each of [createClient(world.url, ''), createClient(world.url, "' OR 1=1 --"), viewer]) {
      for (const answer of [await each.rest('DELETE', '/imgs/a'), await each.rest('POST', '/graphql', { query })]) {
        expectSilentError(answer);
        statuses.push(answer.status);
      }
    }
    expect(statuses).toEqual([401, 401, 401, 401, 403, 200]);
  });

  it.each([
    ['no HTTP', 'SSH-2.0-x\r\n\r\n'],
    ['a request without a host', 'GET /imgs HTTP/1.1\r\nConnection: close\r\n\r\n'],
    [
      'a header that is too long',
      `GET /imgs HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`,
    ],
    ['two lengths', 'POST /imgs HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['an absolute target of GraphQL', 'GET //[/graphql HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['a broken target of GraphQL', 'GET /graphql?%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['NUL in a header', 'GET /imgs HTTP/1.1\r\nHost: x\r\nAPI-Key: a\0b\r\n\r\n'],
  ])('to %s', async (_what, request) => {
    const { hostname, port: to } = new URL(world.url);
    const text = await new Promise<string>((resolve) => {
      let received = '';
      const socket = connect(Number(to), hostname, () => socket.write(request, 'latin1'));
      socket.on('data', (part) => (received += part.toString('latin1')));
      socket.on('error', () => resolve(received));
      socket.on('close', () => resolve(received));
    });
    expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(leaksIn(text)).toEqual([]);
  });
});

describe('a report of an operation reveals no internals', () => {
  it('whatever sources it was given', async () => {
    const { media } = world;
    mkdirSync(join(media, 'folder'));
    symlinkSync('/etc/passwd', join(media, 'link'));
    symlinkSync('/nowhere', join(media, 'link-to-nothing'));
    const files = {
      'bomb.png': png(30_000, 30_000),
      'bomb.tiff': await tiffOf(30_000, 30_000),
      'text.jpg': Buffer.from('x'),
    };
    const many = {
      'many.gif': gif(100_001),
      'many.webp': await webp(6_000),
      'half.jpg': Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0]),
    };
    for (const [name, bytes] of Object.entries({ ...files, ...many })) writeFileSync(join(media, name), bytes);
    const paths = [
      ...Object.keys({ ...files, ...many }),
      'folder',
      'link',
      'link-to-nothing',
      'nothing.jpg',
      '../../etc/passwd',
    ];
    const own = `http://127.0.0.1:${port}`;
    const addresses = [
      `${own}/private`,
      `${own}/round`,
      `${own}/cut`,
      `${own}/500`,
      'http://127.0.0.1:1/',
      'http://10.0.0.1/',
    ];
    const strange = [
      'file:///etc/passwd',
      'http://u:p@127.0.0.1/',
      'http://no-such-host.invalid/',
      'http://[::ffff:7f00:2]/',
    ];
    const elements = [
      ...[...paths, '/etc/passwd', '/etc/nothing', 'a\0b'].map((src_path, i) => ({ id: `p${i}`, src_path })),
      ...[...addresses, ...strange].map((src, i) => ({ id: `u${i}`, src })),
    ];
    const body = await client.write('POST', '/imgs', elements);
    expect(body.num_bad).toBe(elements.length);
    expect(body.errors.map(({ code }: { code: string }) => code)).not.toContain('internal');
    expectSilentError({ status: 200, body: { errors: body.errors }, headers: new Headers() });
    const query = 'query ($id: BigInt!) { operation(id: $id) { errors { code field msg ref } } }';
    const { data } = await client.graphql(query, { id: body.operation_id });
    expect(leaksIn(JSON.stringify(data))).toEqual([]);
    const codeOf = (id: string) => body.errors.find(({ ref }: { ref: string }) => ref === id);
    const last = paths.length;
    const reported = [codeOf(`p${last}`), codeOf(`p${last + 1}`)].map(({ code, msg }) => [
      code,
      msg.replace(/ \(id.*/, ''),
    ]);
    expect(reported[0]).toEqual(reported[1]);
  });
});

describe('a reply about a bug contains only an id', () => {
  it.each([
    ['image', 'GET', '/imgs'],
    ['image', 'GET', '/imgs/a'],
    ['operation', 'GET', '/ops'],
    ['operation', 'DELETE', '/ops/1'],
    ['operation', 'POST', '/imgs', [{ id: 'a', src_path: 'a.jpg' }]],
  ])('without the table %s: %s %s', async (table, method, path, body?) => {
    const answer = await without(table, () => client.rest(method, path, body));
    expectSilentError(answer);
    const request_id = answer.headers.get('x-request-id');
    expect([answer.status, answer.body]).toEqual([500, { detail: 'Internal Server Error', request_id }]);
  });

  it.each([
    ['image', '{ images { results { imageId } } }'],
    ['image', '{ image(id: "a") { title } }'],
    ['operation', '{ operations { results { id } } }'],
    ['operation', 'mutation { deleteImages(ids: ["a"]) { __typename } }'],
  ])('without the table %s: %s', async (table, query) => {
    for (let times = 0; times < 2; times += 1) {
      const answer = await without(table, () => client.rest('POST', '/graphql', { query }));
      expectSilentError(answer);
      const extensions = { code: 'internal', requestId: answer.headers.get('x-request-id') };
      expect(answer.body.errors).toMatchObject([{ message: 'Internal Server Error', extensions }]);
    }
  });

  it('before anyone knows who asks', async () => {
    const stranger = createClient(world.url, 'vk_unknown_0123456789');
    for (const path of ['/imgs', '/graphql']) {
      const answer = await without('api_key', () => stranger.rest('POST', path, { query: '{ me { tenant } }' }));
      expectSilentError(answer);
      expect(answer.status).toBe(500);
      expect(JSON.stringify(answer.body)).toContain(answer.headers.get('x-request-id'));
    }
  });
});
