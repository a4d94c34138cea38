import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createClientErrorHandler, refuseConnect } from './client-error.ts';
import { limits as standard } from './limits.ts';
import type { Limits } from './limits.ts';

/** Answers every HTTP request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** An HTTP server with bounds that a slow, large or broken sender cannot stretch. */
export function createServer(handler: Handler, limits: Limits = standard): Server {
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
    handler,
  );
  // One more than may be: the parser drops what is beyond without a word, and the handler refuses.
  server.maxHeadersCount = limits.headers + 1;
  server.maxConnections = limits.connections;
  server.on('clientError', createClientErrorHandler(limits.lingerMs));
  server.on('connect', (request, socket) => refuseConnect(request, socket, limits.lingerMs));
  // The handler says "continue" when it begins to read the body, or refuses what is expected.
  server.on('checkContinue', handler);
  server.on('checkExpectation', handler);
  return server;
}
