import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { sendEvents } from '../../src/live/event-stream.ts';
import { liveLimits } from '../../src/live/index.ts';
import { timed } from '../support/effort.ts';

const stalledMs = 300;
const piece = `: ${'x'.repeat(64 * 1024)}\n\n`;
const open: { server: Server; socket: Socket }[] = [];

afterEach(async () => {
  for (const { server, socket } of open.splice(0)) {
    socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A server whose one answer never ends by itself, and a client that has asked for it and does not read. */
async function openStream(count = Infinity) {
  const state = { given: 0, hasReturned: false };
  const source: AsyncIterator<string> = {
    next: async () => ((state.given += 1) > count ? { done: true, value: undefined } : { done: false, value: piece }),
    return: async () => {
      state.hasReturned = true;
      return { done: true, value: undefined };
    },
  };
  let ended = Promise.resolve();
  const stop = new AbortController();
  const server = createServer((_request, response) => {
    response.writeHead(200);
    const stream = { source, write: (value: string) => value, heartbeat: ':\n\n', stop: stop.signal };
    ended = sendEvents(response, stream, { ...liveLimits, stalledMs, goodbyeMs: stalledMs });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  open.push({ server, socket });
  socket.on('error', () => {});
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await expect.poll(() => state.given).toBeGreaterThan(0);
  return { state, socket, stop, ended: () => ended };
}

describe('an event stream', () => {
  it('whose client takes nothing is dropped, with little waiting for it', async () => {
    const { state, ended } = await openStream();
    await ended();
    expect(state.hasReturned).toBe(true);
    expect(state.given * piece.length).toBeLessThan(32 * 2 ** 20); // What the system's own buffers take.
  });

  it('whose client is slow goes on', timed, async () => {
    const { state, socket, ended } = await openStream(400);
    let size = 0;
    socket.on('data', (part: Buffer) => {
      const before = size;
      size += part.length;
      if (before >> 20 === size >> 20) return;
      socket.pause(); // After each mebibyte.
      setTimeout(() => socket.resume(), stalledMs / 6);
    });
    socket.resume();
    await ended();
    expect(state.given).toBe(401);
  });

  it('ends its source when the client goes, and when it is stopped', async () => {
    const gone = await openStream();
    gone.socket.destroy();
    await gone.ended();
    const stopped = await openStream();
    stopped.stop.abort();
    stopped.socket.resume();
    await Promise.all([stopped.ended(), once(stopped.socket, 'data')]);
    expect([gone.state.hasReturned, stopped.state.hasReturned]).toEqual([true, true]);
  });

  it('whose client does not read is closed soon after it is stopped', async () => {
    const { socket, stop, ended, state } = await openStream();
    expect(state.given).toBeGreaterThan(0);
    const closed = once(socket, 'close');
    stop.abort();
    await ended();
    await new Promise((resolve) => open.at(-1)?.server.close(resolve)); // When it has no connection any more.
    socket.destroy();
    await closed;
  });
});
