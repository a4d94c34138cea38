import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Limits } from '../limits.ts';

/** Non-public fields of a connection in node:http and node:net. */
type ServedSocket = Socket & {
  /** The reply that is being produced or written. */
  readonly _httpMessage?: ServerResponse | null;
  readonly _handle?: { readonly writeQueueSize?: number } | null;
};

/** Progress of a reader; times of `performance.now()`. */
type Progress = { waitsSince: number; movedAt: number; mark: number };

/** Minimum interval between checks for slow readers. */
const sweepMs = 1_000;

/** The started and unfinished reply of a connection; null without a request. */
export function replyOf(socket: Socket): ServerResponse | null {
  return (socket as ServedSocket)._httpMessage ?? null;
}

/** Bytes of replies that this process buffers for a connection, because its client has not read them. */
export function bytesWaiting(socket: Socket): number {
  return Math.max(socket.writableLength, queuedBytes(socket));
}

function queuedBytes(socket: Socket): number {
  return (socket as ServedSocket)._handle?.writeQueueSize ?? 0;
}

const streamed = new WeakSet<ServerResponse>();

/**
 * Marks a reply that is sent as its source is read: it buffers little here, so its reader only has to keep reading, however
 * long the reply takes.
 */
export function markStreamed(reply: ServerResponse): void {
  streamed.add(reply);
}

/**
 * The open connections of a server. Each has an error listener for its whole lifetime. A client that reads nothing for too
 * long, or takes too long for one reply, is disconnected and its buffers are dropped.
 */
export class Connections implements Iterable<Socket> {
  readonly #open = new Map<Socket, Progress>();
  readonly #limits: Pick<Limits, 'replyIdleMs' | 'replyMs'>;
  readonly #sweep: NodeJS.Timeout;

  constructor(limits: Pick<Limits, 'replyIdleMs' | 'replyMs'>) {
    this.#limits = limits;
    this.#sweep = setInterval(() => this.#dropSlow(), Math.min(sweepMs, limits.replyIdleMs / 4)).unref();
  }

  [Symbol.iterator](): Iterator<Socket> {
    return this.#open.keys();
  }

  get size(): number {
    return this.#open.size;
  }

  /** Buffered bytes of all connections. */
  bytesWaiting(): number {
    let sum = 0;
    for (const socket of this.#open.keys()) sum += bytesWaiting(socket);
    return sum;
  }

  /** Adds a connection; adding a known one has no effect. */
  add(socket: Socket): void {
    if (this.#open.has(socket)) return;
    this.#open.set(socket, { waitsSince: 0, movedAt: 0, mark: 0 });
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#open.delete(socket));
  }

  /** Closes idle connections; with `unused`, only those that never sent a request. */
  closeIdle({ unused = false } = {}): void {
    for (const socket of this.#open.keys()) {
      if (replyOf(socket) === null && (!unused || socket.bytesRead === 0)) socket.destroy();
    }
  }

  /** Stops the checks; connections stay open. */
  close(): void {
    clearInterval(this.#sweep);
  }

  #dropSlow(): void {
    const now = performance.now();
    for (const [socket, progress] of this.#open) {
      if (bytesWaiting(socket) === 0) progress.waitsSince = 0;
      else if (this.#isTooSlow(socket, progress, now)) socket.resetAndDestroy();
    }
  }

  #isTooSlow(socket: Socket, progress: Progress, now: number): boolean {
    // Grows when a write was sent completely, and when part of a large one was.
    const mark = socket.bytesWritten - socket.writableLength - queuedBytes(socket);
    if (progress.waitsSince === 0) progress.waitsSince = now;
    else if (mark === progress.mark) {
      return now - Math.max(progress.movedAt, progress.waitsSince) > this.#limits.replyIdleMs;
    }
    progress.mark = mark;
    progress.movedAt = now;
    const reply = replyOf(socket);
    return now - progress.waitsSince > this.#limits.replyMs && !(reply !== null && streamed.has(reply));
  }
}
