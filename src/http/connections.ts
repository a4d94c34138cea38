import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Limits } from './limits.ts';

/** What node:http and node:net keep of a connection under names that are not public. */
type ServedSocket = Socket & {
  /** The reply that is being made, or written. */
  readonly _httpMessage?: ServerResponse | null;
  readonly _handle?: { readonly writeQueueSize?: number } | null;
};

/** How a reader takes what waits for it; times of `performance.now()`. */
type Progress = { waitsSince: number; movedAt: number; mark: number };

/** How often slow readers are looked for, at most. */
const sweepMs = 1_000;

/** The reply of a connection that has begun and not ended; null where no request is under way. */
export function replyOf(socket: Socket): ServerResponse | null {
  return (socket as ServedSocket)._httpMessage ?? null;
}

/** Bytes of replies that this process holds for a connection, because its reader has not taken them. */
export function bytesWaiting(socket: Socket): number {
  return Math.max(socket.writableLength, queuedBytes(socket));
}

function queuedBytes(socket: Socket): number {
  return (socket as ServedSocket)._handle?.writeQueueSize ?? 0;
}

/**
 * The open connections of a server. Each has a listener for its errors from its first moment to its end, whatever becomes
 * of it. A reader that takes nothing for too long, or is too long about one reply, is dropped with what waits for it.
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

  /** Bytes that wait in all connections together. */
  bytesWaiting(): number {
    let sum = 0;
    for (const socket of this.#open.keys()) sum += bytesWaiting(socket);
    return sum;
  }

  /** Takes a connection in; one that is known already changes nothing. */
  add(socket: Socket): void {
    if (this.#open.has(socket)) return;
    this.#open.set(socket, { waitsSince: 0, movedAt: 0, mark: 0 });
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#open.delete(socket));
  }

  /** Ends connections that no request uses; `unused` alone: those on which nothing was ever sent. */
  closeIdle({ unused = false } = {}): void {
    for (const socket of this.#open.keys()) {
      if (replyOf(socket) === null && (!unused || socket.bytesRead === 0)) socket.destroy();
    }
  }

  /** Ends the watch; connections stay as they are. */
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
    // Grows when a write has left as a whole, and when a part of a large one has.
    const mark = socket.bytesWritten - socket.writableLength - queuedBytes(socket);
    if (progress.waitsSince === 0) progress.waitsSince = now;
    else if (mark === progress.mark) {
      return now - Math.max(progress.movedAt, progress.waitsSince) > this.#limits.replyIdleMs;
    }
    progress.mark = mark;
    progress.movedAt = now;
    return now - progress.waitsSince > this.#limits.replyMs;
  }
}
