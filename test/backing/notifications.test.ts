import { createServer, connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { openNotifications } from '../../src/backing/postgres/notifications.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { cloneDatabase } from '../support/database.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  database = await cloneDatabase(inject('postgresUrl'));
});
afterAll(() => database.drop());

/** Lies between a client and the database; each connection waits until it is let through. */
async function openGate() {
  const { hostname, port } = new URL(database.url);
  const waiting: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    waiting.push(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(database.url);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  /** Waits until the next connection is there. */
  const arrives = async () => {
    await expect.poll(() => waiting.length, { timeout: 10_000 }).toBe(1);
  };
  const letThrough = () => {
    const inner = waiting.pop() as Socket;
    const outer = connect(Number(port), hostname);
    outer.on('error', () => {});
    inner.pipe(outer).pipe(inner);
    return inner;
  };
  return { url: url.href, arrives, letThrough, close: () => server.close() };
}

it('checks of a connection that arrive together send one statement', async () => {
  const gate = await openGate();
  const opening = openNotifications(gate.url, createLogger('fatal'));
  await gate.arrives();
  const socket = gate.letThrough();
  const notifications = await opening;
  let sent = '';
  socket.on('data', (part: Buffer) => (sent += part.toString('latin1')));
  await Promise.all(Array.from({ length: 5 }, () => notifications.check()));
  expect(sent.match(/SELECT 1/g)).toHaveLength(1);
  await notifications.check();
  expect(sent.match(/SELECT 1/g)).toHaveLength(2);
  await notifications.close();
  gate.close();
});

it('a listening connection that comes back while it is closed is closed as well', async () => {
  const gate = await openGate();
  const opening = openNotifications(gate.url, createLogger('fatal'));
  await gate.arrives();
  const first = gate.letThrough();
  const notifications = await opening;
  first.destroy();
  await gate.arrives();
  await notifications.close();
  const second = gate.letThrough();
  await expect.poll(() => second.destroyed, { timeout: 10_000 }).toBe(true);
  gate.close();
});
