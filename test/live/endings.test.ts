import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { liveLimits } from '../../src/live/index.ts';
import { send } from '../operations/support.ts';
import { collectProcessFaults } from '../support/process-faults.ts';
import type { ProcessFaults } from '../support/process-faults.ts';
import { exchange, openWire } from '../support/raw.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { followDocument, ids } from './support.ts';

let world: World;
let client: Client;
let faults: ProcessFaults;
beforeAll(async () => {
  world = await openWorld({ worker: false, http: { live: { ...liveLimits, streamsPerKey: 1 } } });
  client = await world.client();
});
afterAll(() => world.close());
beforeEach(() => {
  faults = collectProcessFaults();
});
afterEach(() => faults.stop());

/** That nothing was left that would have ended the process of the service, and that it still answers. */
async function isUnharmed(): Promise<boolean> {
  await sleep(50);
  return faults.found.length === 0 && (await client.rest('GET', '/health')).status === 200;
}

const typename = `/graphql?query=${encodeURIComponent('{__typename}')}`;
const head = (line: string, ...headers: string[]) =>
  `${[`${line} HTTP/1.1`, 'Host: x', 'Accept: text/event-stream', ...headers].join('\r\n')}\r\n\r\n`;

/** What the chunks of a body hold. */
function textOf(body: string): string {
  return body.replace(/[\da-f]+\r\n([\s\S]*?)\r\n/g, '$1');
}

/** A request that follows an operation: over REST, and as a subscription. */
async function follow(face: 'REST' | 'GraphQL'): Promise<string> {
  const id = await send(client, 'DELETE', '/imgs', ids(1));
  const key = `API-Key: ${client.key}`;
  if (face === 'REST') return head(`GET /ops/${id}/events`, key);
  const body = JSON.stringify({ query: followDocument, variables: { id } });
  return head('POST /graphql', key, 'Content-Type: application/json', `Content-Length: ${body.length}`) + body;
}

describe('a stream of events that ends before it has begun', () => {
  it.each(['GET', 'HEAD'])('is answered, and refused without a key: %s', async (method) => {
    const [refused] = await exchange(world.url, head(`${method} ${typename}`, 'Connection: close'));
    expect(refused?.status).toBe(401);
    const key = `API-Key: ${client.key}`;
    const [reply] = await exchange(world.url, head(`${method} ${typename}`, key, 'Connection: close'));
    expect([reply?.status, reply?.headers['content-type']]).toEqual([200, 'text/event-stream']);
    const events = 'event: next\ndata: {"data":{"__typename":"Query"}}\n\nevent: complete\ndata:\n\n';
    if (method === 'GET') expect(textOf(reply?.body ?? '')).toBe(`:\n\n${events}`);
    expect(await isUnharmed()).toBe(true);
  });

  it.each(['REST', 'GraphQL'] as const)('because its client resets at any moment: %s', async (face) => {
    const request = await follow(face);
    for (let wait = 0; wait < 12; wait += 0.5) {
      const wire = await openWire(world.url);
      wire.socket.on('error', () => {});
      wire.write(request);
      if (wait > 0) await sleep(wait);
      wire.socket.resetAndDestroy();
    }
    expect(await isUnharmed()).toBe(true);
  });

  it.each(['REST', 'GraphQL'] as const)('because its key holds as many as it may: %s', async (face) => {
    const open = await openWire(world.url);
    open.write(await follow('REST'));
    await expect.poll(() => open.received().toString()).toContain('event: queued');
    const wire = await openWire(world.url);
    wire.write(await follow(face));
    await expect.poll(() => wire.received().toString()).toMatch(/^HTTP\/1.1 429 [\s\S]*too_many_streams/);
    for (const { socket } of [open, wire]) socket.destroy();
    expect(await isUnharmed()).toBe(true);
  });
});

describe('a subscription over a WebSocket', () => {
  it('ends with its connection at any moment', async () => {
    const id = await send(client, 'DELETE', '/imgs', ids(1));
    for (let wait = 0; wait < 6; wait += 0.5) {
      const socket = new WebSocket(`${world.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
      socket.on('error', () => {});
      await new Promise((resolve) => socket.once('open', resolve));
      socket.send(JSON.stringify({ type: 'connection_init', payload: { 'API-Key': client.key } }));
      await new Promise((resolve) => socket.once('message', resolve));
      const payload = { query: followDocument, variables: { id } };
      for (let i = 0; i < 5; i += 1) socket.send(JSON.stringify({ type: 'subscribe', id: `s${i}`, payload }));
      await sleep(wait);
      socket.terminate();
    }
    expect(await isUnharmed()).toBe(true);
  });
});
