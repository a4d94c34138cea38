import { once } from 'node:events';
import { WebSocket } from 'ws';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { liveLimits } from '../../src/live/index.ts';
import { revokeApiKey } from '../../src/tenants/index.ts';
import { send } from '../operations/support.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { followBySse, followDocument, ids, socketClient } from './support.ts';

const limits = {
  ...liveLimits,
  socketsPerKey: 3,
  streamsPerKey: 3,
  initMs: 300,
  operationsPerSocket: 4,
  messageBytes: 20_000,
  messagesAtOnce: 200,
  goodbyeMs: 1_000,
  heartbeatMs: 100,
  pingMs: 300,
};

/** Nobody applies what is accepted here. */
let idle: World;
let client: Client;
let id: number;

beforeAll(async () => {
  idle = await openWorld({ worker: false, http: { live: limits } });
});
afterAll(() => idle.close());
beforeEach(async () => {
  client = await idle.client();
  id = await send(client, 'DELETE', '/imgs', ids(3));
});

const protocol = 'graphql-transport-ws';
const address = () => `${idle.url.replace('http', 'ws')}/graphql`;

/** A bare WebSocket, with the code and the reason of its end. */
function open(headers: Record<string, string>) {
  const socket = new WebSocket(address(), [protocol], { headers });
  const messages: any[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  const closed = new Promise<[number, string]>((resolve) =>
    socket.once('close', (code, reason) => resolve([code, String(reason)])),
  );
  const say = (message: unknown) => socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  const opened = once(socket, 'open');
  const acknowledged = async () => {
    await opened;
    say({ type: 'connection_init' });
    await expect.poll(() => messages[0]).toEqual({ type: 'connection_ack' });
  };
  return { socket, messages, closed, say, opened, acknowledged };
}

const withKey = (key = client.key) => open({ 'API-Key': key });
const subscribe = (name: string) => ({
  id: name,
  type: 'subscribe',
  payload: { query: followDocument, variables: { id } },
});

describe('a WebSocket', () => {
  it.each([
    ['without a key', {}, undefined, [4401, 'Not authenticated']],
    ['with a wrong key in its header', { 'API-Key': 'wrong' }, undefined, [4401, 'Invalid API key']],
    ['with a wrong key in its parameters', {}, { apiKey: 'wrong' }, [4401, 'Invalid API key']],
    ['with parameters of another kind', {}, { 'API-Key': 5 }, [4401, 'Not authenticated']],
  ])('%s is closed', async (_what, headers, payload, expected) => {
    const { opened, closed, say } = open(headers);
    await opened;
    say({ type: 'connection_init', payload });
    expect(await closed).toEqual(expected);
  });

  it('that says nothing is closed after the time for it', async () => {
    expect(await withKey().closed).toEqual([4408, 'Connection initialisation timeout']);
  });

  it('that subscribes before it has said who it is, is closed', async () => {
    const { opened, say, closed } = withKey();
    await opened;
    say(subscribe('1'));
    expect((await closed)[0]).toBe(4401);
  });

  it.each([
    ['no JSON', '{', 4400],
    ['no message of the protocol', '{"type":"start"}', 4400],
    ['a message that is too large', JSON.stringify({ type: 'ping', payload: { x: 'x'.repeat(20_000) } }), 1009],
  ])('that sends %s is closed', async (_what, text, code) => {
    const { acknowledged, say, closed } = withKey();
    await acknowledged();
    say(text);
    expect((await closed)[0]).toBe(code);
  });

  it('may run so many operations at once, and one more is an error of that one', async () => {
    const { acknowledged, say, messages, socket } = withKey();
    await acknowledged();
    for (const name of ['1', '2', '3', '4', '5']) say(subscribe(name));
    await expect
      .poll(() => messages.find(({ type }) => type === 'error'))
      .toMatchObject({ id: '5', payload: [{ extensions: { code: 'too_many_operations', max: 4 } }] });
    await expect
      .poll(() => messages.filter(({ type }) => type === 'next').map((message) => message.id))
      .toEqual(expect.arrayContaining(['1', '2', '3', '4']));
    say({ id: '1', type: 'complete' });
    say(subscribe('6'));
    await expect.poll(() => messages.some((message) => message.id === '6' && message.type === 'next')).toBe(true);
    socket.close();
  });

  it('that uses an id twice is closed, however long the id is', async () => {
    for (const name of ['1', 'ä'.repeat(200)]) {
      const { acknowledged, say, closed } = withKey();
      await acknowledged();
      say(subscribe(name));
      say(subscribe(name));
      const [code, reason] = await closed;
      expect([code, reason.slice(0, 16)]).toEqual([4409, `Subscriber for ${name[0]}`]);
    }
  });

  it('may send so many messages at once, and is closed by more', async () => {
    const { acknowledged, say, messages, closed } = withKey();
    await acknowledged();
    for (let sent = 0; sent < 150; sent += 1) say({ type: 'ping' });
    await expect.poll(() => messages.filter(({ type }) => type === 'pong')).toHaveLength(150);
    for (let sent = 0; sent < 300; sent += 1) say({ type: 'ping' });
    expect(await closed).toEqual([4429, 'Too many messages']);
  });

  it('is one of so many of its key', async () => {
    const sockets = [withKey(), withKey(), withKey()];
    for (const { acknowledged } of sockets) await acknowledged();
    const more = withKey();
    await more.opened;
    more.say({ type: 'connection_init' });
    expect(await more.closed).toEqual([4429, 'Too many WebSockets of this API key']);
    sockets[0]?.socket.close();
    await sockets[0]?.closed;
    const next = withKey();
    await next.acknowledged();
    for (const { socket } of [...sockets, next]) socket.terminate();
  });

  it('whose client does not answer pings is ended', async () => {
    const quiet = new WebSocket(address(), [protocol], { headers: { 'API-Key': client.key }, autoPong: false });
    await once(quiet, 'open');
    quiet.send(JSON.stringify({ type: 'connection_init' }));
    const [code] = await once(quiet, 'close');
    expect(code).toBe(1006);
  });

  it('is refused for another protocol, and at another path, which answers as if it had not been asked for one', async () => {
    const old = new WebSocket(address(), ['graphql-ws'], { headers: { 'API-Key': client.key } });
    expect(String((await once(old, 'error'))[0])).toContain('no subprotocol');
    const elsewhere = new WebSocket(`${idle.url.replace('http', 'ws')}/nowhere`, [protocol]);
    const [error] = await once(elsewhere, 'error');
    expect(String(error)).toContain('404');
  });
});

describe('connections that stay open', () => {
  /** One of each kind, waiting for its second event; each promise resolves when it has ended. */
  async function openAll(world = idle, caller = client, followed = id): Promise<Promise<unknown>[]> {
    const rest = await fetch(`${world.url}/ops/${followed}/events`, { headers: { 'API-Key': caller.key } });
    const sse = followBySse(world.url, caller.key, { id: followed });
    const sockets = socketClient(world.url, caller.key);
    const overSocket = sockets.iterate({ query: followDocument, variables: { id: followed } });
    await sse.next();
    await overSocket.next();
    const reported = (waiting: Promise<unknown>) => waiting.catch((error: unknown) => error);
    return [reported(rest.text()), reported(sse.next()), reported(overSocket.next())];
  }

  it('say that their key was revoked, and end', async () => {
    const ended = await openAll();
    await revokeApiKey(idle.backing.database, client.key.slice(0, 11));
    const [rest, sse, socket] = await Promise.all(ended);
    expect(rest).toContain('event: queued');
    expect(rest).toMatch(/\n\nevent: error\ndata: {"detail":"Invalid API key","code":"invalid_key"}\n\n$/);
    expect(sse).toEqual({
      done: false,
      value: { errors: [{ message: 'Invalid API key', extensions: { code: 'invalid_key' } }] },
    });
    expect(socket).toMatchObject({ code: 4401, reason: 'Invalid API key' });
    expect((await client.rest('GET', '/me')).status).toBe(401);
  });

  it('end silently when the rights of their key change: it may connect again', async () => {
    const ended = await openAll();
    await idle.backing.database.pool.query("UPDATE api_key SET role = 'editor' WHERE prefix = $1", [
      client.key.slice(0, 11),
    ]);
    const [rest, sse] = await Promise.all(ended);
    expect(rest).not.toContain('event: error');
    expect(sse).toBeInstanceOf(Error); // No `complete`: the operation has not ended.
    expect((await client.rest('GET', '/me')).status).toBe(200);
  });

  it('end when their key is revoked without a notification', async () => {
    const ended = await openAll();
    await idle.backing.database.pool.query('UPDATE api_key SET revoked_at = now() WHERE prefix = $1', [
      client.key.slice(0, 11),
    ]);
    expect(await Promise.all(ended)).toHaveLength(3);
  });

  it('end when their key expires', async () => {
    client = await idle.client({ expiresAt: new Date(Date.now() + 2500) });
    id = await send(client, 'DELETE', '/imgs', ids(3));
    await Promise.all(await openAll());
    expect((await client.rest('GET', '/me')).status).toBe(401);
  });

  it('keep event streams of a key to a number, over either way', async () => {
    const path = `${idle.url}/ops/${id}/events`;
    const headers = { 'API-Key': client.key };
    const leaving = new AbortController();
    for (let i = 0; i < 3; i += 1) await fetch(path, { headers, signal: leaving.signal });
    const more = await client.rest('GET', `/ops/${id}/events`);
    expect([more.status, more.body.code, more.headers.get('retry-after')]).toEqual([429, 'too_many_streams', '5']);
    leaving.abort();
    await expect.poll(async () => (await fetch(path, { headers })).status).toBe(200);
  });

  it('carry a comment from time to time', async () => {
    const reader = (
      await fetch(`${idle.url}/ops/${id}/events`, { headers: { 'API-Key': client.key } })
    ).body?.getReader();
    let text = '';
    while (!text.endsWith('\n\n:\n\n')) text += Buffer.from((await reader?.read())?.value ?? []).toString();
    expect(text.startsWith('retry: 2000\n\nid: 1\nevent: queued\n')).toBe(true);
    await reader?.cancel();
  });

  it('end cleanly at SIGTERM, and their clients reconnect', async () => {
    const own = await openWorld({ worker: false });
    const caller = await own.client();
    const ended = await openAll(own, caller, await send(caller, 'DELETE', '/imgs', ids(3)));
    await own.endStreams();
    const [rest, sse, socket] = await Promise.all(ended);
    expect(rest).toContain('event: queued');
    expect(sse).toBeInstanceOf(Error);
    expect(socket).toMatchObject({ code: 1001 });
    await own.close();
  });
});
