import { getEventListeners } from 'node:events';
import { createServer, get, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BodyBudget } from '../../src/http/request/body-budget.ts';
import { createLargeBodies } from '../../src/http/request/large-bodies.ts';
import { ActiveTenants } from '../../src/lib/active-tenants.ts';
import { UnreadReplies } from '../../src/http/connection/unread-replies.ts';
import { Exchange } from '../../src/http/exchange.ts';
import { limits } from '../../src/http/limits.ts';
import { endReply } from '../../src/http/reply/send.ts';
import { tenantsOfProcess } from '../../src/lib/active-tenants.ts';
import { sendPieces } from '../../src/http/reply/send-pieces.ts';

const hurry = new AbortController();
const never = new AbortController().signal;
const settings = {
  limits,
  cors: null,
  draining: never,
  stopping: never,
  hurry: hurry.signal,
  bodies: new BodyBudget(limits),
  largeBodies: createLargeBodies(new ActiveTenants(), limits),
  unread: new UnreadReplies(limits),
  activeTenants: new ActiveTenants(),
};

/** What happens to an exchange, one for each request. */
let handle: (exchange: Exchange) => void = () => {};
const server = createServer((incoming, outgoing) => handle(new Exchange(incoming, outgoing, settings)));
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());

const waiting = () => getEventListeners(hurry.signal, 'abort').length;
const ask = () => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);

/** Answers a request, and gives its exchange once the reply is closed. */
async function answered(before = (_exchange: Exchange) => {}): Promise<Exchange> {
  const closed = new Promise<Exchange>((resolve) => {
    handle = (exchange) => {
      before(exchange);
      exchange.outgoing.once('close', () => resolve(exchange));
      exchange.outgoing.end();
    };
  });
  await (await ask()).text();
  return closed;
}

it('an exchange waits for the end of the service no longer than for its reply', async () => {
  let meanwhile = 0;
  const { signal } = await answered((exchange) => {
    expect(exchange.signal.aborted).toBe(false);
    meanwhile = waiting();
  });
  expect([meanwhile, waiting(), signal.aborted]).toEqual([1, 0, false]);
});

it('what is done when the reply was sent takes one listener, however much that is', async () => {
  let [done, more] = [0, 0];
  const exchange = await answered((asked) => {
    const before = asked.outgoing.listenerCount('close');
    for (let i = 0; i < 50; i += 1) asked.whenSent(() => (done += 1));
    more = asked.outgoing.listenerCount('close') - before;
  });
  expect([done, more]).toEqual([50, 1]);
  exchange.whenSent(() => (done += 1));
  expect(done).toBe(51);
});

it('several headers of one name are one list, if lists are what they are; else the first counts', async () => {
  const values = new Promise((resolve) => {
    handle = ({ incoming, outgoing, ...rest }) => {
      const exchange = new Exchange(incoming, outgoing, rest.settings);
      resolve(['accept', 'prefer', 'if-match', 'if-none-match', 'api-key'].map((name) => exchange.header(name)));
      outgoing.end();
    };
  });
  const { port } = server.address() as AddressInfo;
  const names = ['Accept', 'Prefer', 'If-Match', 'If-None-Match', 'API-Key'];
  get({ port, host: '127.0.0.1', headers: Object.fromEntries(names.map((name) => [name, ['a', ' b ']])) });
  expect(await values).toEqual(['a, b', 'a, b', 'a, b', 'a, b', 'a']);
});

it('an exchange that is asked for its signal when the reply is closed has ended, and waits for nothing', async () => {
  const exchange = await answered();
  expect(exchange.signal.aborted).toBe(true);
  expect(waiting()).toBe(0);
});

it('a long reply to a client that has gone ends at once', async () => {
  const gone = new Promise<Exchange>((resolve) => {
    handle = (exchange) => {
      exchange.outgoing.once('close', () => resolve(exchange));
      client.destroy();
    };
  });
  const client = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }).on('error', () => {});
  const exchange = await gone;
  await sendPieces(exchange, 200, [], ['a piece', 'another']);
  expect(exchange.outgoing.destroyed).toBe(true);
}, 5_000);

it('a body whose client has gone before it is read ends early', async () => {
  const gone = new Promise<Exchange>((resolve) => {
    handle = (exchange) => {
      exchange.incoming.once('close', () => resolve(exchange));
      client.destroy();
    };
  });
  const { port } = server.address() as AddressInfo;
  const client = request({ port, host: '127.0.0.1', method: 'POST', headers: { 'Content-Length': 10 } });
  client.on('error', () => {}).write('half');
  const exchange = await gone;
  exchange.budgetOwner = { tenantId: 1, keyId: 1 };
  await expect(exchange.readBody()).rejects.toMatchObject({ reply: { status: 400 } });
}, 5_000);

it('what a refused client goes on sending is read in time slices while another tenant asks, and it gets its reply', async () => {
  let pauses = 0;
  const ended = new Promise<void>((resolve) => {
    handle = (exchange) => {
      for (const tenant of [1, 2]) tenantsOfProcess.note(tenant);
      exchange.budgetOwner = { tenantId: 1, keyId: 1 };
      const { incoming } = exchange;
      incoming.on('pause', () => (pauses += 1)).once('end', resolve);
      endReply(exchange, 413, ['Content-Length', '0'], undefined);
    };
  });
  const { port } = server.address() as AddressInfo;
  const status = await new Promise((resolve, reject) => {
    const outgoing = request({ port, host: '127.0.0.1', method: 'POST' }, (reply) => {
      resolve(reply.statusCode);
      reply.resume();
    });
    outgoing.once('error', reject).end(Buffer.alloc(8 * 2 ** 20));
  });
  await ended;
  expect(status).toBe(413);
  expect(pauses).toBeGreaterThan(1);
});
