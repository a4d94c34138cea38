import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { replyOf } from './connections.ts';

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Serves the requests of a connection one at a time: work on a request starts once the previous reply was sent, so
 * that many pipelined requests use the memory of only one. A connection with more than `most` waiting requests is
 * dropped.
 */
export function inOrder(serve: Serve, most: number): Serve {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    // A response is attached to its connection as soon as no other response is ahead of it.
    if (response.socket !== null) return serve(request, response);
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > most) return void socket.destroy();
    waiting.set(socket, count);
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      // Deferred, because node:http is still about to flush the response.
      process.nextTick(() => {
        if (canAnswer(socket)) serve(request, response);
      });
    });
  };
}

/** Calls `act` once every earlier reply of the connection was sent; never, if the connection ends first. */
export function afterReplies(socket: Duplex, act: () => void): void {
  if (!canAnswer(socket)) return;
  const reply = replyOf(socket as Socket);
  if (reply === null) return act();
  // The connection is assigned to the next reply before this event, and work on that reply starts just after it.
  reply.once('close', () => setImmediate(afterReplies, socket, act));
}

/** False if the previous reply ended the connection, so that later requests are not answered. */
export function canAnswer(socket: Duplex): boolean {
  return !socket.destroyed && !socket.writableEnded;
}
