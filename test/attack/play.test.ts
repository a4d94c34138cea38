import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import sharp from 'sharp';
import { afterEach, describe, expect, it } from 'vitest';
import type { Exchange, Outcome, Target } from '../../attack/exchange.ts';
import { interlacedPng } from '../../attack/pictures.ts';
import { play } from '../../attack/play.ts';

const reply = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
let server: Server;

/** Plays against a server that does this with each connection. */
async function playOn(serve: (socket: Socket) => void, exchange: Exchange): Promise<Outcome> {
  server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    socket.once('end', () => socket.end());
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return play({ host: '127.0.0.1', port } as Target, exchange);
}

const answer = (socket: Socket) => void socket.once('data', () => socket.write(reply));

afterEach(() => void server.close());

describe('a hostile exchange', () => {
  it('reads the reply to its end', async () => {
    const outcome = await playOn(answer, { parts: ['GET / HTTP/1.1\r\n\r\n'] });
    expect(outcome).toMatchObject({ statuses: [200], received: reply.length, isOverdue: false, fault: null });
  });

  it('ends with a reset that the server sees', { retry: 2 }, async () => {
    const codes: (string | undefined)[] = [];
    const serve = (socket: Socket) => {
      socket.resume();
      socket.once('error', (error: NodeJS.ErrnoException) => codes.push(error.code));
    };
    await playOn(serve, { parts: ['CONNECT a:1 HTTP/1.1\r\n\r\n'], ending: 'reset soon' });
    await expect.poll(() => codes).toEqual(['ECONNRESET']);
  });

  it('sends only a part when it stalls', async () => {
    const outcome = await playOn((socket) => void socket.resume(), {
      parts: ['a'.repeat(100)],
      speed: 'stalled in the middle',
      holdMs: 20,
    });
    expect(outcome).toMatchObject({ sent: 60, isOverdue: false });
  });

  it('takes nothing of the reply when it does not read', async () => {
    const outcome = await playOn(answer, { parts: ['GET / HTTP/1.1\r\n\r\n'], reader: 'none', holdMs: 50 });
    expect(outcome).toMatchObject({ received: 0, statuses: [] });
  });

  it('is overdue when no answer comes in its time', async () => {
    const outcome = await playOn((socket) => void socket.resume(), { parts: ['GET / HTTP/1.1\r\n\r\n'], maxMs: 50 });
    expect(outcome.isOverdue).toBe(true);
  });

  it.each([
    ['all', true],
    ['slow', false],
  ] as const)(
    'whose answer arrives for longer than its time, read by %s, is overdue: %s',
    async (reader, isOverdue) => {
      const trickle = (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
        const timer = setInterval(() => socket.write('a'), 5);
        socket.once('close', () => clearInterval(timer));
      };
      const outcome = await playOn(trickle, { parts: ['GET / HTTP/1.1\r\n\r\n'], reader, maxMs: 100 });
      expect(outcome).toMatchObject({ isOverdue, isWhole: false });
    },
  );

  it('reports that nobody accepts connections', async () => {
    await playOn(answer, { parts: ['GET / HTTP/1.1\r\n\r\n'] });
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const outcome = await play({ host: '127.0.0.1', port } as Target, { parts: ['GET / HTTP/1.1\r\n\r\n'] });
    expect(outcome.isRefused).toBe(true);
  });
});

describe('a picture that is larger than its file', () => {
  it.each([
    [1, 1],
    [3, 5],
    [300, 200],
  ])('is a valid interlaced PNG of 16 bits, %i by %i', async (width, height) => {
    const { data } = await sharp(interlacedPng(width, height)).raw().toBuffer({ resolveWithObject: true });
    expect(data.every((byte) => byte === 0)).toBe(true);
    const facts = await sharp(interlacedPng(width, height)).metadata();
    expect(facts).toMatchObject({ width, height, depth: 'ushort', isProgressive: true, channels: 4 });
  });
});
