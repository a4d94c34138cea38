import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createAddressGuard } from '../../src/catalog/index.ts';
import { postMessage } from '../../src/webhooks/post-message.ts';

const guard = createAddressGuard(['127.0.0.0/8']);
const limits = { connectMs: 2_000, totalMs: 4_000, answerBytes: 8 * 1024 };
const message = { body: '{"type":"webhook.test","city":"Málaga"}', headers: { 'webhook-id': 'msg_1' } };

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

/** Posts the message, and measures how long that took. */
async function send(url: string, own: Partial<typeof limits> = {}, allowed = guard) {
  const began = performance.now();
  const outcome = await postMessage({ url, ...message }, allowed, { ...limits, ...own });
  return { ...outcome, ms: performance.now() - began };
}

/** A receiver with given answers. */
async function openHttp(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

/** A receiver that treats each connection as a test says; answers its port, and how many connections came. */
async function openTcp(take: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = net.createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {}); // The sender closes whenever it likes.
    take(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connections: () => sockets.length };
}

/** The port of a receiver that accepts no connection: its thread sleeps, and the queue of the kernel is full. */
async function openUnaccepting(): Promise<number> {
  const asleep = new Worker(
    `const { parentPort } = require('node:worker_threads');
     const server = require('node:net').createServer();
     server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
       parentPort.postMessage(server.address().port);
       setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
     });`,
    { eval: true },
  );
  opened.push(() => asleep.terminate());
  const [port] = (await once(asleep, 'message')) as [number];
  for (let isFull = false; !isFull;) {
    const socket = net.connect(port, '127.0.0.1').on('error', () => {});
    opened.push(() => socket.destroy());
    isFull = await Promise.race([
      once(socket, 'connect').then(() => false),
      new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 300)),
    ]);
  }
  return port;
}

describe('a message', () => {
  it('arrives whole, with its headers, and is accepted by a status from 200 to 299', async () => {
    const url = await openHttp(async (request, response) => {
      const parts = await request.toArray();
      const isWhole = Buffer.concat(parts).toString() === message.body && request.headers['webhook-id'] === 'msg_1';
      response.writeHead(isWhole ? 299 : 400).end();
    });
    expect(await send(url)).toMatchObject({ isAccepted: true, status: 299, error: null });
  });

  it('is not sent to an address that is not public', async () => {
    const { port, connections } = await openTcp((socket) => socket.end());
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', 'localhost']) {
      const outcome = await send(`http://${host}:${port}/`, {}, createAddressGuard([]));
      expect(outcome).toMatchObject({ isAccepted: false, status: null, error: 'the address is not public' });
    }
    expect(connections()).toBe(0);
  });
});

describe('a receiver', () => {
  it('that answers without end is cut off at the limit of bytes; its status counts', async () => {
    let sent = 0;
    let isCutOff = false;
    const url = await openHttp((_, response) => {
      const timer = setInterval(() => {
        sent += 1024;
        response.write('x'.repeat(1024));
      }, 5);
      response.once('close', () => {
        clearInterval(timer);
        isCutOff = true;
      });
    });
    const outcome = await send(url, { totalMs: 60_000 });
    expect(outcome).toMatchObject({ isAccepted: true, status: 200, error: null });
    await vi.waitFor(() => expect(isCutOff).toBe(true), 10_000);
    expect(sent).toBeGreaterThan(limits.answerBytes);
    expect(outcome.ms).toBeLessThan(30_000);
  });

  it('that does not end an answer within the limit of bytes is cut off after the limit of time', async () => {
    const url = await openHttp((_, response) => response.write('x'.repeat(1024)));
    const outcome = await send(url, { totalMs: 500 });
    expect(outcome).toMatchObject({ isAccepted: true, status: 200 });
    expect(outcome.ms).toBeGreaterThan(450);
  });

  it('that never answers is given up after the limit of time', async () => {
    const { port } = await openTcp(() => {});
    const outcome = await send(`http://127.0.0.1:${port}/`, { totalMs: 500 });
    expect(outcome).toMatchObject({ isAccepted: false, status: null, error: 'no answer within 0.5 s' });
    expect(outcome.ms).toBeGreaterThan(450);
  });

  it('that sends headers without end is given up', async () => {
    const { port } = await openTcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write(`x-${'a'.repeat(1000)}: b\r\n`), 1);
      socket.once('close', () => clearInterval(timer));
    });
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ isAccepted: false, error: 'HPE_HEADER_OVERFLOW' });
  });

  it('that announces an answer again and again is given up after the limit of time', async () => {
    const { port } = await openTcp((socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 10);
      socket.once('close', () => clearInterval(timer));
    });
    const outcome = await send(`http://127.0.0.1:${port}/`, { totalMs: 500 });
    expect(outcome).toMatchObject({ isAccepted: false, error: 'no answer within 0.5 s' });
  });

  it('that accepts no connection is given up after the limit of connecting', async () => {
    const outcome = await send(`http://127.0.0.1:${await openUnaccepting()}/`, { connectMs: 400, totalMs: 60_000 });
    expect(outcome).toMatchObject({ isAccepted: false, status: null, error: 'no connection within 0.4 s' });
  });

  it('that does not speak TLS is given up after the limit of connecting', async () => {
    const { port, connections } = await openTcp(() => {});
    const outcome = await send(`https://127.0.0.1:${port}/`, { connectMs: 400, totalMs: 60_000 });
    expect(outcome).toMatchObject({ isAccepted: false, status: null, error: 'no connection within 0.4 s' });
    expect(connections()).toBe(1);
  });

  it('where nothing listens is reported with its code', async () => {
    const { port } = await openTcp(() => {});
    await opened.pop()?.();
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ isAccepted: false, error: 'ECONNREFUSED' });
  });

  it('that resets the connection, or ends it without an answer, is reported with its code', async () => {
    for (const take of [(socket: Socket) => socket.resetAndDestroy(), (socket: Socket) => socket.end()]) {
      const { port } = await openTcp((socket) => socket.once('data', () => take(socket)));
      const outcome = await send(`http://127.0.0.1:${port}/`);
      expect(outcome).toMatchObject({ isAccepted: false, status: null, error: 'ECONNRESET' });
    }
  });

  it('that resets the connection within an answer has given its status', async () => {
    const { port } = await openTcp((socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 503 Busy\r\nContent-Length: 100\r\nRetry-After: 7\r\n\r\nx');
        setTimeout(() => socket.resetAndDestroy(), 50);
      }),
    );
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ isAccepted: false, status: 503, retryAfter: 7 });
  });

  it('that speaks something else, or asks for another protocol, is reported as a failure', async () => {
    const rows = {
      'SSH-2.0-OpenSSH_9.6\r\n': 'HPE_INVALID_CONSTANT',
      'HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n': 'no answer',
    };
    for (const [text, error] of Object.entries(rows)) {
      const { port } = await openTcp((socket) => socket.once('data', () => socket.write(text)));
      expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ isAccepted: false, status: null, error });
    }
  });

  it('that redirects is not followed', async () => {
    const other = await openTcp((socket) => socket.end());
    for (const status of [301, 302, 303, 307, 308]) {
      const url = await openHttp((_, response) =>
        response.writeHead(status, { Location: `http://127.0.0.1:${other.port}/` }).end(),
      );
      const error = `the receiver answered ${status}`;
      expect(await send(url)).toMatchObject({ isAccepted: false, status, error });
    }
    expect(other.connections()).toBe(0);
  });

  it('is asked again after the seconds of Retry-After, of which an hour at most is heeded', async () => {
    const rows = { '7': 7, '999999': 3600, '9999999': 0, soon: 0, '-1': 0 };
    for (const [header, retryAfter] of Object.entries(rows)) {
      const url = await openHttp((_, response) => response.writeHead(429, { 'Retry-After': header }).end());
      expect(await send(url)).toMatchObject({ isAccepted: false, status: 429, retryAfter });
    }
  });
});
