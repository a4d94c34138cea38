import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Logger } from '../../src/observability/logger.ts';
import { followDocument } from '../live/support.ts';
import { collectProcessFaults } from '../support/process-faults.ts';
import { openWire } from '../support/raw.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { firstOf } from '../support/effort.ts';

/** What the service logged at `warn` and above. */
const lines: unknown[] = [];
const logger: Logger = pino({ base: null, level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) });
let world: World;
let client: Client;
let picture: Buffer;
beforeAll(async () => {
  world = await openWorld({ logger });
  client = await world.client();
  picture = await sharp({ create: { width: 300, height: 200, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer();
  await world.picture('p.jpg');
  await client.write('POST', '/imgs/p', { src_path: `${world.media}/p.jpg` });
});
afterAll(() => world.close());

const boundary = 'hang-up';
type Part = readonly [disposition: string, content: string | Buffer];

function multipart(parts: readonly Part[]): Buffer {
  const pieces = parts.flatMap(([disposition, content]) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

function request(line: string, body?: string | Buffer, type = 'application/json', accept = '*/*'): Buffer {
  const length = body === undefined ? '' : `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  const head = `${line} HTTP/1.1\r\nHost: x\r\nAPI-Key: ${client.key}\r\nAccept: ${accept}\r\n${length}\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(body ?? '')]);
}

const graphql = (query: string, accept?: string, variables = {}) =>
  request('POST /graphql', JSON.stringify({ query, variables }), undefined, accept);
const form = (line: string, parts: readonly Part[]) =>
  request(line, multipart(parts), `multipart/form-data; boundary=${boundary}`);
const file = (name: string): Part => [`name="${name}"; filename="p.jpg"`, picture];
const document = 'mutation ($image: Upload) { tagImage(image: $image, colors: true) { warnings } }';
const frame = Buffer.from([0x81, 0xfe, 0x10]);

const kinds: readonly (readonly [name: string, bytes: () => Buffer])[] = [
  ['a read', () => request('GET /imgs?q=a%20OR%20b&fields=id')],
  ['a page', () => request('GET /graphql', undefined, undefined, 'text/html')],
  ['a list', () => request('GET /ops/')],
  ['a write', () => request('PUT /imgs/p', JSON.stringify({ title: 'x'.repeat(5_000) }))],
  [
    'a write that is waited for',
    () => request('POST /imgs?wait=true', JSON.stringify([{ id: 'q', src_path: `${world.media}/p.jpg` }])),
  ],
  ['a picture to tag', () => form('POST /tag/image', [file('image'), ['name="colors"', 'true']])],
  ['a picture to search with', () => form('POST /query_imgs', [file('image')])],
  [
    'a form',
    () => request('POST /tag/image', 'image_url=http%3A%2F%2F127.0.0.1%3A9%2F', 'application/x-www-form-urlencoded'),
  ],
  ['a query', () => graphql('{ images(query: "a") { count results { id } } }')],
  [
    'a mutation that is waited for',
    () => graphql('mutation { deleteImages(ids: ["none"], wait: true) { __typename } }'),
  ],
  ['a query as events', () => graphql('{ me { roleName } }', 'text/event-stream')],
  ['a subscription', () => graphql(followDocument, 'text/event-stream', { id: 1 })],
  [
    'an upload over GraphQL',
    () =>
      form('POST /graphql', [
        ['name="operations"', JSON.stringify({ query: document, variables: { image: null } })],
        ['name="map"', '{"0":["variables.image"]}'],
        file('0'),
      ]),
  ],
  ['events', () => request('GET /ops/1/events')],
  [
    'a WebSocket',
    () =>
      Buffer.concat([
        Buffer.from(
          `GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\nSec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEA==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
        ),
        frame,
      ]),
  ],
];

describe('a client that hangs up', () => {
  it.each(firstOf(5, kinds))('is no news, whenever it does, with an end or a reset: %s', async (_, bytes) => {
    const faults = collectProcessFaults();
    const all = bytes();
    lines.length = 0;
    for (const cut of [60, all.length - 40, all.length]) {
      for (const wait of [0, 2, 10, 40, 120]) {
        for (const how of ['destroy', 'resetAndDestroy'] as const) {
          const { socket } = await openWire(world.url);
          socket.on('error', () => {});
          socket.write(all.subarray(0, cut));
          await sleep(wait);
          socket[how]();
        }
      }
    }
    await expect.poll(async () => (await client.rest('GET', '/ready')).status, { timeout: 20_000 }).toBe(200);
    await sleep(200);
    faults.stop();
    expect([...faults.found, ...lines]).toEqual([]);
  });
});
