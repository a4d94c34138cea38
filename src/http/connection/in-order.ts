import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { replyOf } from './connections.ts';

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Serves the requests of a connection one after the other: work for one starts when the previous reply was sent, so
 * that many pipelined requests take the memory of one. A connection with more than `most` waiting requests is dropped.
 */
export function inOrder(serve: Serve, most: number): Serve {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    // A response has its connection as soon as no other one is before it.
    if (response.socket !== null) return serve(request, response);
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > most) return void socket.destroy();
    waiting.set(socket, count);
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      // Not at once: node:http is still about to flush the response.
      process.nextTick(() => {
        if (canAnswer(socket)) serve(request, response);
      });
    });
  };
}

/** Runs when every earlier reply of the connection was sent; never if the connection ends before. */
export function afterReplies(socket: Duplex, act: () => void): void {
  if (!canAnswer(socket)) return;
  const reply = replyOf(socket as Socket);
  if (reply === null) return act();
  // The next reply gets the connection before this event, and its work starts just after.
  reply.once('close', () => setImmediate(afterReplies, socket, act));
}

/** False if the previous reply has ended the connection: later requests are not answered. */
export function canAnswer(socket: Duplex): boolean {
  return !socket.destroyed && !socket.writableEnded;
}
