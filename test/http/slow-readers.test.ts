import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { bytesWaiting, markStreamed } from '../../src/http/connection/connections.ts';
import { limits } from '../../src/http/limits.ts';
import { createServer } from '../../src/http/connection/server.ts';
import type { Handler, HttpServer } from '../../src/http/connection/server.ts';
import { listen } from '../support/listen.ts';
import { openWire } from '../support/raw.ts';
import type { Wire } from '../support/raw.ts';
import { full } from '../support/effort.ts';

const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
/** More than the system's own buffers take for a reader. */
const large = Buffer.alloc(24 * 2 ** 20, 'a');
const open: HttpServer[] = [];
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(handler: Handler, own: Partial<typeof limits> = {}) {
  const server = createServer(handler, { ...limits, ...own });
  open.push(server);
  const wire = await openWire(await listen(server));
  wire.socket.on('error', () => {});
  wire.socket.pause();
  return { server, wire };
}

const closed = ({ socket }: Wire) => new Promise<void>((resolve) => socket.once('close', () => resolve()));
/** Reads a little now and then, so slowly that it is never done. */
async function trickle({ socket }: Wire, everyMs: number): Promise<void> {
  socket.on('error', () => {});
  while (!socket.destroyed) {
    socket.resume();
    socket.once('data', () => socket.pause());
    await sleep(everyMs);
  }
}

describe('a reply whose reader takes nothing', () => {
  it('is dropped with its connection, written at once or in pieces', async () => {
    const inPieces = (response: ServerResponse) => {
      const write = () =>
        void (
          response.destroyed ||
          (response.write(large.subarray(0, 65_536)) ? setImmediate(write) : response.once('drain', write))
        );
      write();
    };
    for (const answer of [(response: ServerResponse) => void response.end(large), inPieces]) {
      const { server, wire } = await serve((_, response) => answer(response), { replyIdleMs: 300 });
      wire.write(request);
      await expect.poll(() => server.connections.size, { timeout: 10_000 }).toBe(0);
      expect(server.connections.bytesWaiting()).toBe(0);
      wire.socket.destroy();
    }
  });

  it('has its bytes counted, for the connection and for all, until they are taken', async () => {
    const { server, wire } = await serve((_, response) => void response.end(large));
    expect(server.connections.bytesWaiting()).toBe(0);
    wire.write(request);
    await expect.poll(() => server.connections.bytesWaiting()).toBeGreaterThan(large.length / 2);
    const [socket] = [...server.connections];
    expect(socket && bytesWaiting(socket)).toBe(server.connections.bytesWaiting());
    wire.socket.resume();
    await expect.poll(() => server.connections.bytesWaiting(), { timeout: 10_000 }).toBe(0);
    expect(server.connections.size).toBe(1);
  });

  it('is none when work on it takes long', full, async () => {
    const { wire } = await serve((_, response) => void setTimeout(() => response.end('late'), 1_000), {
      replyIdleMs: 100,
      replyMs: 200,
    });
    wire.socket.resume();
    wire.write(request);
    await expect.poll(() => wire.received().toString(), { timeout: 10_000 }).toContain('late');
  });
});

describe('a reply whose reader is slow', () => {
  it('goes on while it is read', full, async () => {
    const { server, wire } = await serve((_, response) => void response.end(large), { replyIdleMs: 1_500 });
    wire.write(request);
    wire.socket.on('data', () => {
      wire.socket.pause();
      setTimeout(() => wire.socket.resume(), 4);
    });
    wire.socket.resume();
    await expect.poll(() => wire.receivedBytes(), { timeout: 50_000 }).toBeGreaterThan(large.length);
    expect(server.connections.size).toBe(1);
  });

  it('is dropped when it is not read within the time of a reply', async () => {
    const { server, wire } = await serve((_, response) => void response.end(large), {
      replyIdleMs: 800,
      replyMs: 2_000,
    });
    wire.write(request);
    const done = closed(wire);
    const reading = trickle(wire, 50);
    await expect.poll(() => server.connections.size, { timeout: 20_000 }).toBe(0);
    wire.socket.resume();
    await Promise.all([done, reading]);
    expect(wire.receivedBytes()).toBeLessThan(large.length);
  });

  it('goes on beyond the time of a reply where it is sent as it is read', full, async () => {
    const { server, wire } = await serve(
      (_, response) => {
        markStreamed(response);
        Readable.from(
          (function* () {
            for (let at = 0; at < large.length; at += 65_536) yield large.subarray(at, at + 65_536);
          })(),
        ).pipe(response);
      },
      { replyIdleMs: 5_000, replyMs: 500 },
    );
    wire.write(request);
    wire.socket.on('data', () => {
      wire.socket.pause();
      setTimeout(() => wire.socket.resume(), 8);
    });
    wire.socket.resume();
    await expect.poll(() => wire.receivedBytes(), { timeout: 50_000 }).toBeGreaterThan(large.length);
    expect(server.connections.size).toBe(1);
  });
});
