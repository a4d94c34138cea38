import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../src/http/limits.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

const own = { ...limits, bodiesBytes: 8 * 2 ** 20, tenantBodiesBytes: 4 * 2 ** 20, keyBodiesBytes: 4 * 2 ** 20 };
const budget = { ...own, bodyWaitMs: 400, bodyIdleMs: 3_000 };

let world: World;
let [client, other]: Client[] = [];
let sockets: Socket[] = [];

beforeAll(async () => {
  world = await openWorld({ worker: false, http: { limits: budget } });
  [client, other] = [await world.client(), await world.client()];
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await world.close();
});

/** Sends the head of a POST and the beginning of its body, which then stalls; gives what is answered. */
function stall(
  key: string,
  length: number | 'chunked',
  begin = '',
): Readonly<{ socket: Socket; reply: Promise<string> }> {
  const { hostname, port } = new URL(world.url);
  const socket = connect(Number(port), hostname);
  sockets = [...sockets, socket];
  const size = length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
  socket.on('error', () => {});
  socket.write(
    `POST /imgs HTTP/1.1\r\nHost: a\r\nAPI-Key: ${key}\r\nContent-Type: application/json\r\n${size}\r\n\r\n${begin}`,
  );
  const reply = new Promise<string>((resolve) => {
    socket.once('data', (data) => resolve(String(data)));
    socket.once('close', () => resolve('closed'));
  });
  return { socket, reply };
}

const statusOf = async (reply: Promise<string>) => Number((await reply).split(' ')[1]);
const post = (by: Client | undefined, bytes: number) =>
  by?.rest('POST', '/imgs', JSON.stringify([{ id: 'a', caption: 'x'.repeat(bytes) }])).then(({ status }) => status);

describe('a body from nobody', () => {
  it('is thrown away up to 64 KiB, and not read from then on', async () => {
    const piece = Buffer.alloc(64 * 1024, '[');
    const { socket, reply } = stall('wrong', 30 * 2 ** 20);
    let sent = 0;
    const pour = () => {
      while (sent < 20 * 2 ** 20 && socket.write(piece)) sent += piece.length;
    };
    socket.on('drain', pour);
    pour();
    expect(await statusOf(reply)).toBe(401);
    await new Promise((resolve) => setTimeout(resolve, 300));
    // What the kernel holds for both ends is not known; it is far from everything.
    expect(socket.bytesWritten - socket.writableLength).toBeLessThan(20 * 2 ** 20);
  });

  it('is refused before it is parsed, whatever it holds', async () => {
    for (const body of ['{', '['.repeat(60_000), '&'.repeat(60_000)]) {
      const answer = await fetch(`${world.url}/imgs`, { method: 'POST', body });
      expect(answer.status).toBe(401);
    }
  });
});

describe('the memory for bodies', () => {
  it('is taken by one that stalls, so that the next large one of its tenant is refused in time', async () => {
    const { socket } = stall(client?.key ?? '', 2 ** 20);
    await expect.poll(() => post(client, 300_000)).toBe(429);
    expect(await post(other, 300_000)).toBe(202);
    expect(await post(client, 10_000)).toBe(202);
    socket.destroy();
    await expect.poll(() => post(client, 300_000)).toBe(202);
  });

  it('is waited for, and taken by who waited when it is given back', async () => {
    const { socket } = stall(client?.key ?? '', 2 ** 20);
    await expect.poll(() => post(client, 300_000)).toBe(429);
    const waiting = post(client, 300_000);
    socket.destroy();
    expect(await waiting).toBe(202);
  });

  it('is taken only from 64 KiB on by a body of unknown length', async () => {
    const begin = (bytes: number) => `${bytes.toString(16)}\r\n${'['.repeat(bytes)}\r\n`;
    const few = Array.from({ length: 5 }, () => stall(client?.key ?? '', 'chunked', begin(100)));
    expect(await post(client, 300_000)).toBe(202);
    const many = stall(client?.key ?? '', 'chunked', begin(80_000));
    expect(await statusOf(many.reply)).toBe(429); // 32 MiB do not fit at all here.
    for (const { socket } of [...few, many]) socket.destroy();
  });
});
