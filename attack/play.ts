import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange, Outcome, Speed, Target } from './exchange.ts';
import { faultOf } from './faults.ts';
import { ReplyReader } from './replies.ts';

const defaultHoldMs = 1_200;
/** When an exchange without a time of its own is given up. */
export const defaultMaxMs = 30_000;
/** An answer of which a slow reader has taken something this recently is not late: the reader is. */
const arrivingMs = 5_000;
/** Of a large part, bytes that are written at a time, so that the reply is seen while it is sent. */
const pieceBytes = 256 * 1024;

/** How a part is cut at each speed, and how long is waited between pieces. A stalled one sends nothing after `share`. */
const paces: Readonly<Record<Speed, Readonly<{ bytes: number; waitMs: number; share: number }>>> = {
  'at once': { bytes: pieceBytes, waitMs: 0, share: 1 },
  'in small pieces': { bytes: 100, waitMs: 1, share: 1 },
  'byte by byte': { bytes: 1, waitMs: 1, share: 1 },
  'stalled at the start': { bytes: pieceBytes, waitMs: 0, share: 0.1 },
  'stalled in the middle': { bytes: pieceBytes, waitMs: 0, share: 0.6 },
};
/** Longer requests are not cut this finely to their end: it would take minutes. */
const maxPieces = 800;

type Line = Readonly<{ socket: Socket; reader: ReplyReader; state: State }>;
type State = {
  sent: number;
  received: number;
  movedAt: number;
  isOpen: boolean;
  isConnected: boolean;
  wake: () => void;
};

/** Plays one exchange to its end, which comes within its time. Never throws: what goes wrong is part of the outcome. */
export async function play(target: Target, exchange: Exchange): Promise<Outcome> {
  const began = performance.now();
  const line = openLine(target, exchange);
  const { socket, reader, state } = line;
  let isOver = false;
  const limit = setTimeout(() => {
    isOver = true;
    socket.destroy();
  }, exchange.maxMs ?? defaultMaxMs);
  const waitsForReply = (exchange.reader ?? 'all') !== 'none' && endsWithReply(exchange);
  while (socket.connecting && state.isOpen) await change(line, 1_000);
  await send(line, exchange);
  const isAnswered = await finish(line, exchange);
  clearTimeout(limit);
  socket.destroy();
  const ms = performance.now() - began;
  const isArriving = exchange.reader === 'slow' && performance.now() - state.movedAt < arrivingMs;
  return {
    statuses: reader.replies.map(({ status }) => status),
    bodies: reader.replies.map(({ start }) => start),
    isWhole: reader.complete === reader.replies.length,
    sent: state.sent,
    received: state.received,
    ms,
    isOverdue: waitsForReply && !isAnswered && !isArriving && isOver,
    isRefused: !state.isConnected,
    fault: reader.fault ?? faultOf(reader.replies),
  };
}

function endsWithReply({ ending = 'read', speed = 'at once' }: Exchange): boolean {
  return (ending === 'read' || ending === 'half closed') && !speed.startsWith('stalled');
}

function openLine({ host, port }: Target, { isHead = false, reader: manner = 'all' }: Exchange): Line {
  const socket = connect({ host, port, noDelay: true, allowHalfOpen: true });
  const reader = new ReplyReader({ isHead });
  const state: State = { sent: 0, received: 0, movedAt: -Infinity, isOpen: true, isConnected: false, wake: () => {} };
  socket.on('error', () => {});
  socket.once('connect', () => {
    state.isConnected = true;
    state.wake();
  });
  socket.on('close', () => {
    state.isOpen = false;
    state.wake();
  });
  socket.on('end', () => {
    state.isOpen = false;
    state.wake();
  });
  socket.on('drain', () => state.wake());
  const take = (bytes: Buffer) => {
    state.received += bytes.length;
    state.movedAt = performance.now();
    reader.push(bytes);
    if (manner === 'slow') pauseFor(socket, 20);
    state.wake();
  };
  if (manner !== 'none') socket.on('data', take);
  return { socket, reader, state };
}

function pauseFor(socket: Socket, ms: number): void {
  socket.pause();
  setTimeout(() => socket.resume(), ms);
}

/** Waits for anything to happen on the connection, or for so long. */
async function change({ state }: Line, ms: number): Promise<void> {
  const stop = new AbortController();
  const woken = new Promise<void>((resolve) => (state.wake = resolve));
  await Promise.race([woken, sleep(ms, undefined, { signal: stop.signal }).catch(() => {})]);
  stop.abort();
}

/** Sends the parts at their pace, until the other side closes or has answered in full. */
async function send(line: Line, exchange: Exchange): Promise<void> {
  const { socket, state, reader } = line;
  const { bytes, waitMs, share } = paces[exchange.speed ?? 'at once'];
  const enough = exchange.replies ?? 1;
  for (const part of exchange.parts) {
    if (typeof part === 'number') await sleep(part);
    if (typeof part === 'number') continue;
    const all = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
    const whole = all.subarray(0, Math.ceil(all.length * share));
    for (let at = 0, pieces = 0; at < whole.length; pieces += 1) {
      if (!state.isOpen) return;
      const piece = whole.subarray(at, at + (pieces < maxPieces ? bytes : pieceBytes));
      at += piece.length;
      state.sent += piece.length;
      const isFull = !socket.write(piece);
      while (isFull && state.isOpen && socket.writableNeedDrain) await change(line, 500);
      if (waitMs > 0) await sleep(waitMs);
      // Refused before the end, as it should be: nobody reads the rest.
      if (whole.length > pieceBytes && reader.complete >= enough) return;
    }
    if (share < 1) return;
  }
}

/** Ends the connection as the exchange says. @returns whether every reply has come. */
async function finish(line: Line, exchange: Exchange): Promise<boolean> {
  const { socket, state, reader } = line;
  const { ending = 'read', speed = 'at once', holdMs = defaultHoldMs, replies = 1 } = exchange;
  const isHeld = speed.startsWith('stalled') || exchange.reader === 'none' || ending === 'kept';
  if (isHeld) {
    const until = performance.now() + holdMs;
    while (state.isOpen && performance.now() < until) await change(line, until - performance.now());
  }
  if (ending === 'reset at once') socket.resetAndDestroy();
  else if (ending === 'reset soon') await sleep(2).then(() => socket.resetAndDestroy());
  else if (ending === 'end early') socket.end();
  else if (ending === 'half closed') socket.end();
  else if (ending === 'reset at the reply') {
    while (state.isOpen && state.received === 0) await change(line, 1_000);
    socket.resetAndDestroy();
  }
  if (isHeld) return true;
  if (ending === 'end early') await change(line, 50);
  if (ending !== 'read' && ending !== 'half closed') return true;
  while (state.isOpen && reader.complete < replies && !socket.destroyed) await change(line, 1_000);
  return reader.complete >= replies;
}
