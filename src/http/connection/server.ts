import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createClientErrorHandler, headersTooLarge, refuseConnect, refuseRaw } from './client-error.ts';
import { Connections } from './connections.ts';
import { exceedsHeaderLimits } from './header-limits.ts';
import { afterReplies, inOrder } from './in-order.ts';
import { startStaggered } from './staggered-starts.ts';
import { limits as standard } from '../limits.ts';
import type { Limits } from '../limits.ts';
import type { AllowOf } from '../request/routes.ts';
import { asksForWebSocket, endIgnoredOffer, ignoreUpgrade, mayUpgrade } from './upgrade.ts';

/**
 * Options of Node 24.9 and newer; older versions pass every request with an `Upgrade` header to the `upgrade`
 * listener.
 */
const newerOptions = { shouldUpgradeCallback: mayUpgrade };

/** Answers every HTTP request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Handles a connection that asks to be upgraded to a WebSocket. */
type TakeSocket = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Options of a server, besides its handler. */
export type ServerOptions = Readonly<{
  takeSocket?: TakeSocket;
  /** Used to answer requests whose method HTTP does not know; without it they get a 404. */
  allowOf?: AllowOf;
}>;

/** A server with its open connections. */
export type HttpServer = Server & Readonly<{ connections: Connections }>;

/**
 * An HTTP server with limits against slow, large and broken clients. All of its events are handled here, and every
 * connection and response that it passes on has an error listener.
 */
export function createServer(
  handler: Handler,
  limits: Limits = standard,
  { takeSocket, allowOf = () => null }: ServerOptions = {},
): HttpServer {
  const start = startStaggered((request, response) => handler(request, response));
  const serve = inOrder((request, response) => {
    response.on('error', ignore); // Written to a connection that was just closed.
    endIgnoredOffer(request, response);
    start(request, response);
  }, limits.pipelined);
  const connections = new Connections(limits);
  const server = createHttpServer(
    {
      // The parser counts the address as part of the headers; the handler checks each.
      maxHeaderSize: limits.urlBytes + limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: Math.min(1_000, limits.headersMs),
      // Node would answer without a body and without our headers.
      requireHostHeader: false,
      ...newerOptions,
    },
    serve,
  );
  // One more than the limit: the parser silently drops further headers, and the handler refuses the request.
  server.maxHeadersCount = limits.headers + 1;
  server.maxConnections = limits.connections;
  server.on('connection', (socket) => connections.add(socket));
  server.once('close', () => connections.close());
  server.on('error', ignore); // A connection could not be accepted for lack of memory or descriptors.
  server.on('clientError', createClientErrorHandler(limits.lingerMs, allowOf));
  // Where a request has a body, Node 26 passes these listeners a stream other than the connection.
  server.on('connect', (request) => {
    const { socket } = request;
    afterReplies(socket, () => refuseConnect(request, socket, limits.lingerMs));
  });
  // The handler sends 100 Continue when it starts to read the body, or refuses the expectation.
  server.on('checkContinue', serve);
  server.on('checkExpectation', serve);
  server.on('upgrade', (request, socket, head) => afterReplies(socket, () => upgrade(request, socket, head)));
  return Object.assign(server, { connections });

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { rawHeaders } = request;
    if (exceedsHeaderLimits(rawHeaders, limits)) refuseRaw(request, socket, headersTooLarge(), limits.lingerMs);
    else if (takeSocket !== undefined && asksForWebSocket(request)) takeSocket(request, socket, head);
    else ignoreUpgrade(server, request, socket as Socket, head);
  }
}

/** An error listener: without one, an error would end the process. */
function ignore(): void {}
