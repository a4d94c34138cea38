import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../src/http/limits.ts';
import { createServer } from '../../src/http/connection/server.ts';
import { collectProcessFaults } from '../support/process-faults.ts';
import type { ProcessFaults } from '../support/process-faults.ts';
import { listen } from '../support/listen.ts';
import { exchange, openWire } from '../support/raw.ts';
import { withWorld } from '../support/shared-world.ts';
import type { SharedWorld } from '../support/world.ts';

let world: SharedWorld;
let key: string;
let faults: ProcessFaults;
withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld({ worker: false });
  ({ key } = await world.client());
});
beforeEach(() => {
  faults = collectProcessFaults();
});
afterEach(() => faults.stop());

const host = 'Host: x\r\n';
const webSocket = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';
const nonce = 'Sec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEA==\r\n';

/** Every event of a server that a client can cause, with what causes it and the status of the answer. */
const events: readonly (readonly [event: string, bytes: string, status: number])[] = [
  ['connection', '\r\n', 400],
  ['request', `GET /health HTTP/1.1\r\n${host}Connection: close\r\n\r\n`, 200],
  [
    'request with a body',
    `POST /graphql HTTP/1.1\r\n${host}API-Key: KEY\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`,
    415,
  ],
  [
    'request of a stream',
    `GET /graphql?query={__typename} HTTP/1.1\r\n${host}API-Key: KEY\r\nConnection: close\r\nAccept: text/event-stream\r\n\r\n`,
    200,
  ],
  ['request of a page', `GET /graphql HTTP/1.1\r\n${host}Connection: close\r\nAccept: text/html\r\n\r\n`, 200],
  [
    'checkContinue',
    `POST /imgs HTTP/1.1\r\n${host}Connection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n[]`,
    401,
  ],
  ['checkExpectation', `GET /health HTTP/1.1\r\n${host}Connection: close\r\nExpect: more\r\n\r\n`, 417],
  ['clientError', `FOO BAR\r\n\r\n`, 400],
  [
    'clientError in a body',
    `POST /imgs HTTP/1.1\r\n${host}API-Key: KEY\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n`,
    400,
  ],
  ['connect', `CONNECT a:1 HTTP/1.1\r\n${host}\r\n`, 405],
  ['connect with a body', `CONNECT a:1 HTTP/1.1\r\n${host}Content-Length: 5\r\n\r\nhello`, 405],
  ['connect behind a request', `GET /ready HTTP/1.1\r\n${host}\r\nCONNECT a:1 HTTP/1.1\r\n${host}\r\n`, 200],
  ['upgrade', `GET /graphql HTTP/1.1\r\n${host}${webSocket}${nonce}\r\n`, 101],
  ['upgrade without a nonce', `GET /graphql HTTP/1.1\r\n${host}${webSocket}\r\n`, 400],
  [
    'upgrade to something else',
    `GET /health HTTP/1.1\r\n${host}Connection: close, Upgrade\r\nUpgrade: foo/1\r\n\r\n`,
    200,
  ],
  [
    'upgrade behind a request',
    `GET /ready HTTP/1.1\r\n${host}\r\nGET /graphql HTTP/1.1\r\n${host}${webSocket}${nonce}\r\n`,
    200,
  ],
];

describe('every event of a server', () => {
  it('is among those that are tried here, or cannot be caused by a client', async () => {
    const server: Server = createServer((_, response) => response.end());
    const caused = new Set(events.map(([event]) => event.split(' ')[0]));
    const handled = server
      .eventNames()
      .map(String)
      .filter((name) => !['listening', 'close', 'timeout', 'error'].includes(name));
    expect(handled.filter((name) => !caused.has(name))).toEqual([]);
    // Never emitted: no connection has a most of requests, nor a time-out of the server's.
    expect([server.maxRequestsPerSocket, server.timeout]).toEqual([0, 0]);
  });

  it('is none that ends the process when a connection cannot be accepted', () => {
    const server = createServer((_, response) => response.end());
    expect(() => server.emit('error', new Error('accept EMFILE'))).not.toThrow();
  });

  it.each(events)('is answered: %s', async (_, bytes, status) => {
    const wire = await openWire(world.url);
    wire.write(bytes.replace('KEY', key));
    if (bytes === '\r\n') wire.socket.end();
    if (bytes === '\r\n')
      await new Promise((resolve) => wire.socket.once('close', resolve)); // Nothing was asked.
    else
      await expect
        .poll(() => wire.received().toString(), { timeout: 20_000 })
        .toMatch(new RegExp(`^HTTP/1.1 (100|${status}) `));
    wire.socket.destroy();
  });

  it.each(events)('harms no one when the client resets at any moment: %s', async (_, bytes) => {
    const cuts = [1, Math.floor(bytes.length / 2), bytes.length - 1, bytes.length];
    for (const cut of cuts) {
      for (const wait of [0, 0, 1, 3, 8]) {
        const wire = await openWire(world.url);
        wire.socket.on('error', () => {});
        wire.write(bytes.replace('KEY', key).slice(0, cut));
        if (wait > 0) await sleep(wait);
        wire.socket.resetAndDestroy();
      }
    }
    await sleep(30);
    expect(faults.found).toEqual([]);
    expect((await fetch(`${world.url}/health`)).status).toBe(200);
  });
});

describe('requests sent at once on a connection', () => {
  it('are worked on one after the other, each when the reply before has left', async () => {
    let [running, most] = [0, 0];
    const server = createServer((request, response) => {
      running += 1;
      most = Math.max(most, running);
      setTimeout(() => response.end(request.url), 2);
      response.once('close', () => (running -= 1));
    });
    const url = await listen(server);
    const request = (index: number) =>
      `GET /${index} HTTP/1.1\r\n${host}${index === 79 ? 'Connection: close\r\n' : ''}\r\n`;
    const replies = await exchange(url, Array.from({ length: 80 }, (_, i) => request(i)).join(''));
    expect(replies.map(({ body }) => body)).toEqual(Array.from({ length: 80 }, (_, i) => `/${i}`));
    expect(most).toBe(1);
    server.close();
  });

  it('end the connection when they are too many', async () => {
    let served = 0;
    const server = createServer(() => void (served += 1), { ...limits, pipelined: 10 });
    const wire = await openWire(await listen(server));
    wire.socket.on('error', () => {});
    wire.write(`GET / HTTP/1.1\r\n${host}\r\n`.repeat(12));
    await new Promise((resolve) => wire.socket.once('close', resolve));
    expect(served).toBe(1);
    server.close();
  });

  it('are not begun behind a reply that ends the connection', async () => {
    const served: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      served.push(request.url);
      setTimeout(() => response.end(), 5);
    });
    const close = `GET /last HTTP/1.1\r\n${host}Connection: close\r\n\r\n`;
    await exchange(await listen(server), `${close}GET /beyond HTTP/1.1\r\n${host}\r\n`);
    expect(served).toEqual(['/last']);
    server.close();
  });
});
