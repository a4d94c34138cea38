import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createClient as createSocketClient } from 'graphql-ws';
import { openDatabase, queryBounded } from '../../src/backing/index.ts';
import { largeReplies } from '../../src/graphql/index.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { openWire } from '../support/raw.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { full } from '../support/effort.ts';

let world: World;
let client: Client;
const count = 1500;

beforeAll(async () => {
  world = await openWorld({ worker: false });
  client = await world.client({ tenant: 'large' });
  await world.backing.database.pool.query(
    `INSERT INTO image (tenant_id, image_id, src_path, title, caption, lang, width, height, format, byte_size, checksum)
     SELECT id, 'i' || lpad(n::text, 5, '0'), 'p.png', 'Título ' || n, repeat('x', CASE WHEN n <= 300 THEN 9000 ELSE 300 END),
            'es', 1, 1, 'png', 1, ''
     FROM tenant, generate_series(1, ${count}) AS n WHERE name = 'large'`,
  );
});
afterAll(() => world.close());

const list = `{ images(limit: ${count}, sortBy: title) { results { imageId title caption } cursor } }`;
/** One long text under 95 names for each of 200 records: 171 million characters. */
const aliases = `{ images(limit: 200, sortBy: image_id, sortOrder: asc) { results { ${Array.from({ length: 95 }, (_, i) => `a${i}: caption`).join(' ')} } } }`;

describe('a long reply', () => {
  it('is whole, by every way', async () => {
    const [first, second] = [await client.graphql(list), await client.graphql(list)];
    expect(first.data.images.results).toHaveLength(count);
    expect(second).toEqual(first);
    const byGet = await client.rest('GET', `/graphql?${new URLSearchParams({ query: list })}`);
    expect([byGet.status, byGet.body, byGet.headers.get('content-type')]).toEqual([
      200,
      first,
      'application/json; charset=utf-8',
    ]);
    const rest = await client.rest(
      'GET',
      `/imgs?limit=${count}&sort_by=title&fields=image_id&fields=title&fields=caption`,
    );
    expect(rest.status).toBe(200);
    expect(rest.body.results.map(({ title }: { title: string }) => title)).toEqual(
      first.data.images.results.map(({ title }: { title: string }) => title),
    );
  });

  it.each(['gzip', 'br'])('is compressed for those who can read that: %s', async (encoding) => {
    const path = `/imgs?limit=${count}&fields=image_id&fields=title&fields=caption`;
    const { status, headers, body } = await client.rest('GET', path, undefined, { 'Accept-Encoding': encoding });
    expect([status, headers.get('content-encoding'), body.results.length]).toEqual([200, encoding, count]);
  });

  it('has a head alone for HEAD', async () => {
    const { status, body } = await client.rest('HEAD', `/imgs?limit=${count}`);
    expect([status, body]).toEqual([200, '']);
  });
});

describe('a reply beyond the limit', () => {
  const refusal = { code: 'reply_too_large', max: 128 * 2 ** 20, hint: expect.stringContaining('smaller pages') };

  it.each(['with a new document', 'with one that has run before'])('is an error: %s', async () => {
    const { data, errors } = await client.graphql(aliases);
    expect([data, errors]).toMatchObject([null, [{ extensions: refusal }]]);
  });

  it('is one over WebSocket too', async () => {
    const socket = createSocketClient({
      url: `${world.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { 'API-Key': client.key },
      retryAttempts: 0,
    });
    const results = [];
    const long = list.replace('caption', 'caption a: caption b: caption c: caption');
    for (const query of [aliases, long, list]) {
      for await (const result of socket.iterate({ query })) results.push(result);
    }
    expect(results).toMatchObject([
      { data: null, errors: [{ extensions: refusal }] },
      { data: null, errors: [{ extensions: { ...refusal, max: 2 ** 23 } }] },
      { data: { images: { results: expect.any(Array) } } },
    ]);
    await socket.dispose();
  });

  it('that repeats long texts is refused before its rows are read', async () => {
    const query = vi.spyOn(world.backing.database.pool, 'query');
    const { errors } = await client.graphql(aliases);
    expect(errors?.[0]?.extensions).toMatchObject(refusal);
    // Its workers send statements of their own meanwhile, none of them about images.
    const ofImages = query.mock.results.filter((_, i) =>
      /\bimage\b/.test((query.mock.calls[i]?.[0] as unknown as { text: string } | undefined)?.text ?? ''),
    );
    const results = await Promise.all(ofImages.map(({ value }) => value as Promise<{ rows: unknown[] }>));
    query.mockRestore();
    expect(results.flatMap(({ rows }) => rows)).toEqual([{ bytes: 95 * 200 * 9_000 }]);
  });

  it.each([
    ['keywords a0: keywords', 'a list'],
    ['x: ai { caption } y: ai { caption }', 'what is no column'],
    ['caption @skip(if: true) b: caption', 'a field that is left out'],
  ])('that repeats %s is answered where it is short enough', async (fields) => {
    const many = Array.from({ length: 20 }, (_, i) => `r${i}: title`).join(' ');
    const { data, errors } = await client.graphql(`{ images(limit: ${count}) { results { ${many} ${fields} } } }`);
    expect(errors).toBeUndefined();
    expect(data.images.results).toHaveLength(count);
  });

  it('is given up while its rows come', async () => {
    const database = openDatabase({ url: inject('postgresUrl'), logger: createLogger('silent') });
    const rows = (n: number) => ({ text: `SELECT repeat('x', 100) AS text FROM generate_series(1, ${n})` });
    expect((await queryBounded(database.pool, rows(5), 1_000)).rows).toHaveLength(5);
    await expect(queryBounded(database.pool, rows(50), 1_000)).rejects.toMatchObject({ code: 'reply_too_large' });
    expect((await queryBounded(database.pool, { ...rows(1), name: 'one' }, 1_000)).rows).toHaveLength(1);
    await expect(queryBounded(database.pool, { text: 'SELECT nothing' })).rejects.toMatchObject({ code: '42703' });
    await database.close();
  });
});

describe('large replies that are not read', () => {
  /** More than the system's own buffers take for a reader. */
  const long = JSON.stringify({ query: list.replace('caption', 'caption a: caption b: caption c: caption') });
  const open = async (key: string, times: number) => {
    const wires = await Promise.all(Array.from({ length: times }, () => openWire(world.url)));
    for (const { socket, write } of wires) {
      socket.pause();
      write(`POST /graphql HTTP/1.1\r\nHost: x\r\nAPI-Key: ${key}\r\n`);
      write(`Content-Type: application/json\r\nContent-Length: ${long.length}\r\n\r\n${long}`);
    }
    return wires;
  };

  it('let no more be made for their tenant, and for others as before', full, async () => {
    const other = await world.client({ tenant: 'other' });
    const wires = await open(client.key, largeReplies.perOwner);
    await sleep(1_000); // Their heads have left by then, and they wait to be read.
    const next = client.graphql(list);
    expect(await Promise.race([next, sleep(500)])).toBeUndefined();
    expect((await client.rest('GET', '/imgs?limit=10')).status).toBe(200);
    expect(await other.graphql(list)).toMatchObject({ data: { images: { results: [] } } });
    for (const { socket } of wires) socket.destroy();
    expect((await next).data.images.results).toHaveLength(count);
  });

  it('give their places back when they were read, over WebSocket too', full, async () => {
    const socket = createSocketClient({
      url: `${world.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { 'API-Key': client.key },
      retryAttempts: 0,
    });
    const ask = async () => {
      for await (const { data } of socket.iterate({ query: list })) return data;
      return null;
    };
    const answers = await Promise.all(Array.from({ length: 3 * largeReplies.perOwner }, ask));
    for (const data of answers) expect(data).toMatchObject({ images: { results: expect.any(Array) } });
    await socket.dispose();
  });
});
