import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, expect, inject, it } from 'vitest';
import { openPostgresQueue } from '../../src/backing/queue/postgres-queue.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { cloneDatabase } from '../support/database.ts';

const timeouts = { connectMs: 500, statementMs: 700, answerMs: 1_000 };
const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A way to the database that can swallow all that is said on it, as a network does that is cut somewhere. */
async function openWay(url: string) {
  let isCut = false;
  const sockets = new Set<Socket>();
  const { hostname, port } = new URL(url);
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      // prettier-ignore
      sockets.add(from);
      from.on('data', (data) => isCut || to.write(data)).on('error', () => {}).on('close', () => to.destroy()); // prettier-ignore
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const through = Object.assign(new URL(url), { host: `127.0.0.1:${(server.address() as AddressInfo).port}` });
  return { url: through.href, cut: (now: boolean) => (isCut = now) };
}

it('a call ends when the database says nothing, and later ones arrive', async () => {
  const clone = await cloneDatabase(inject('postgresUrl'));
  closers.push(clone.drop);
  const way = await openWay(clone.url);
  const queue = await openPostgresQueue(way.url, createLogger('silent'), timeouts);
  closers.push(() => queue.close());
  await queue.call({ tenantId: 1 }, { urgent: false });
  way.cut(true);
  const began = Date.now();
  await expect(queue.call({ tenantId: 2 }, { urgent: false })).rejects.toThrow(/timeout|terminated/i);
  expect(Date.now() - began).toBeLessThan(10 * timeouts.answerMs);
  way.cut(false);
  const call = () => queue.call({ tenantId: 3 }, { urgent: true }).then(() => true, () => false); // prettier-ignore
  await expect.poll(call, { timeout: 20_000 }).toBe(true);
  const handled = new Set<number>();
  const worker = queue.work({ concurrency: 2, handle: async ({ tenantId }) => void handled.add(tenantId) });
  closers.push(() => worker.close());
  await expect.poll(() => handled.has(1) && handled.has(3), { timeout: 20_000 }).toBe(true);
});

it('is found where the address has options for the server', async () => {
  const clone = await cloneDatabase(inject('postgresUrl'));
  closers.push(clone.drop);
  const queue = await openPostgresQueue(`${clone.url}?options=-cwork_mem%3D8MB`, createLogger('silent'), timeouts);
  closers.push(() => queue.close());
  await expect(queue.call({ tenantId: 1 }, { urgent: false })).resolves.toBeUndefined();
});
