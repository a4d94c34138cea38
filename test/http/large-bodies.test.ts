import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UnreadReplies } from '../../src/http/connection/unread-replies.ts';
import { Exchange } from '../../src/http/exchange.ts';
import { limits } from '../../src/http/limits.ts';
import { BodyBudget } from '../../src/http/request/body-budget.ts';
import { createLargeBodies } from '../../src/http/request/large-bodies.ts';
import { ActiveTenants } from '../../src/lib/active-tenants.ts';

const never = new AbortController().signal;
let activeTenants: ActiveTenants;
let settings: ConstructorParameters<typeof Exchange>[2];
/** Requests whose bodies have been read, in the order in which that happened. */
let read: Exchange[];

const server = createServer((incoming, outgoing) => {
  const exchange = new Exchange(incoming, outgoing, settings);
  exchange.chargeTo({ tenantId: 1, keyId: 1 });
  void exchange.readBody().then(() => read.push(exchange));
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  activeTenants = new ActiveTenants();
  read = [];
  settings = {
    limits,
    cors: null,
    draining: never,
    stopping: never,
    hurry: never,
    bodies: new BodyBudget(limits),
    largeBodies: createLargeBodies(activeTenants, limits),
    unread: new UnreadReplies(limits),
    activeTenants,
  };
});

function send(bytes: number): void {
  const { port } = server.address() as AddressInfo;
  const outgoing = request({ port, host: '127.0.0.1', method: 'POST', agent: false });
  outgoing.on('error', () => {}); // The server goes away at the end.
  outgoing.end(Buffer.alloc(bytes, 32));
}

/** Long enough for a body of this size to be read, if nothing keeps it waiting. */
const settled = () => sleep(150);

describe('large JSON bodies of a tenant', () => {
  it('are read at the same time while it is served alone', async () => {
    for (let i = 0; i < 3; i += 1) send(100_000);
    await expect.poll(() => read.length).toBe(3);
  });

  it('are read one after the other while others are served too, each when the one before is accepted', async () => {
    activeTenants.note(2);
    for (let i = 0; i < 3; i += 1) send(100_000);
    await expect.poll(() => read.length).toBe(1);
    await settled();
    expect(read).toHaveLength(1);
    read[0]?.bodyHandled();
    await expect.poll(() => read.length).toBe(2);
    read[1]?.outgoing.end();
    await expect.poll(() => read.length).toBe(3);
  });

  it('keep no small body waiting', async () => {
    activeTenants.note(2);
    send(100_000);
    await expect.poll(() => read.length).toBe(1);
    send(1_000);
    await expect.poll(() => read.length).toBe(2);
  });

  it('leave the slot to the next when their client goes away', async () => {
    activeTenants.note(2);
    send(100_000);
    await expect.poll(() => read.length).toBe(1);
    send(100_000);
    await settled();
    expect(read).toHaveLength(1);
    read[0]?.incoming.socket.destroy();
    await expect.poll(() => read.length).toBe(2);
  });
});
