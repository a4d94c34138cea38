import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UnreadReplies } from '../../src/http/connection/unread-replies.ts';
import type { AppError } from '../../src/lib/errors.ts';

const mebibyte = 2 ** 20;
/** More than the system's own buffers take for a reader. */
const reply = Buffer.alloc(24 * mebibyte, 'a');
const limits = { tenantUnreadBytes: 30 * mebibyte, unreadBytes: 50 * mebibyte };

let server: Server;
beforeAll(async () => {
  server = createServer((socket) => void socket.on('error', () => {}));
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => void server.close());

type Pair = Readonly<{ own: Socket; reader: Socket }>;

/** Connections, of which the reader's end takes nothing. */
async function openPairs(count: number): Promise<Pair[]> {
  const pairs: Pair[] = [];
  while (pairs.length < count) {
    const accepted = once(server, 'connection');
    const reader = connect((server.address() as { port: number }).port, '127.0.0.1').pause();
    const [own] = (await accepted) as [Socket];
    pairs.push({ own, reader });
  }
  return pairs;
}

const codeOf = (act: () => void): string | null => {
  try {
    act();
    return null;
  } catch (error) {
    return (error as AppError).code;
  }
};

describe('replies that wait for their readers', () => {
  it('keep their tenant, and nobody else, from asking for more until they are read', async () => {
    const unread = new UnreadReplies(limits);
    const [first, second, other] = (await openPairs(3)) as [Pair, Pair, Pair];
    for (const { own } of [first, second]) {
      unread.admit(own, 1);
      own.write(reply);
    }
    await sleep(200);
    expect(codeOf(() => unread.admit(first.own, 1))).toBe('rate_limited');
    expect(codeOf(() => unread.admit(other.own, 2))).toBeNull();
    for (const { reader } of [first, second]) reader.resume();
    await expect.poll(() => codeOf(() => unread.admit(first.own, 1))).toBeNull();
    for (const { reader } of [first, second, other]) reader.destroy();
  });

  it('of many tenants keep each of these from asking for more, and nobody whose replies are read', async () => {
    const unread = new UnreadReplies(limits);
    const pairs = (await openPairs(4)) as [Pair, Pair, Pair, Pair];
    for (const [i, { own }] of pairs.entries()) {
      if (i === 0) continue;
      unread.admit(own, i + 1);
      own.write(reply);
    }
    await sleep(200);
    expect(codeOf(() => unread.admit(pairs[0].own, 1))).toBeNull();
    expect(codeOf(() => unread.admit(pairs[1].own, 2))).toBe('unavailable');
    for (const { reader } of pairs) reader.destroy();
    await expect.poll(() => codeOf(() => unread.admit(pairs[0].own, 2))).toBeNull();
  });
});
