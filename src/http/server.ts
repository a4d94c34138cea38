import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createClientErrorHandler, headersTooLarge, refuseConnect, refuseRaw } from './client-error.ts';
import { Connections } from './connections.ts';
import { afterReplies, inOrder } from './in-order.ts';
import { limits as standard } from './limits.ts';
import type { Limits } from './limits.ts';
import type { AllowOf } from './routes.ts';
import { asksForWebSocket, ignoreUpgrade } from './upgrade.ts';

/** Answers every HTTP request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Takes a connection that asks to become a WebSocket. */
export type TakeSocket = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** What a server is told beside its handler. */
export type ServerOptions = Readonly<{
  takeSocket?: TakeSocket;
  /** For requests whose method HTTP does not know; without it they are 404. */
  allowOf?: AllowOf;
}>;

/** A server, and the connections that it has. */
export type HttpServer = Server & Readonly<{ connections: Connections }>;

/**
 * An HTTP server with bounds that a slow, large or broken client cannot stretch. All of its events are handled here, and
 * every connection and every response that it hands on has a listener for errors.
 */
export function createServer(
  handler: Handler,
  limits: Limits = standard,
  { takeSocket, allowOf = () => null }: ServerOptions = {},
): HttpServer {
  const serve = inOrder((request, response) => {
    response.on('error', ignore); // Written to a connection that has just gone.
    handler(request, response);
  }, limits.pipelined);
  const connections = new Connections(limits);
  const server = createHttpServer(
    {
      // The parser counts the address among the headers; the handler checks it alone.
      maxHeaderSize: limits.urlBytes + limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: Math.min(5_000, limits.headersMs),
      // Node would answer without a body and without our headers.
      requireHostHeader: false,
    },
    serve,
  );
  // One more than may be: the parser drops what is beyond without a word, and the handler refuses.
  server.maxHeadersCount = limits.headers + 1;
  server.maxConnections = limits.connections;
  server.on('connection', (socket) => connections.add(socket));
  server.once('close', () => connections.close());
  server.on('error', ignore); // A connection that could not be accepted, for want of memory or descriptors.
  server.on('clientError', createClientErrorHandler(limits.lingerMs, allowOf));
  server.on('connect', (request, socket) =>
    afterReplies(socket, () => refuseConnect(request, socket, limits.lingerMs)),
  );
  // The handler says "continue" when it begins to read the body, or refuses what is expected.
  server.on('checkContinue', serve);
  server.on('checkExpectation', serve);
  server.on('upgrade', (request, socket, head) => afterReplies(socket, () => upgrade(request, socket, head)));
  return Object.assign(server, { connections });

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { rawHeaders } = request;
    if (rawHeaders.length > 2 * limits.headers) refuseRaw(request, socket, headersTooLarge(), limits.lingerMs);
    else if (takeSocket !== undefined && asksForWebSocket(request)) takeSocket(request, socket, head);
    else ignoreUpgrade(server, request, socket as Socket, head);
  }
}

/** A listener, so that an error is none of the process. */
function ignore(): void {}
