import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createRestHandler, ReplyError } from '../rest/index.ts';
import type { Reply, RestRequest } from '../rest/index.ts';
import { createExecutor, createGraphQLHandler, readSubscription, renderGraphiQLPage, schema } from './graphql/index.ts';
import type { Context, Services } from './graphql/index.ts';
import { createGraphQLEndpoint } from './graphql-endpoint.ts';
import { homePage } from './home-page.ts';
import { openLive } from './live/index.ts';
import type { Live, LiveLimits } from './live/index.ts';
import { createAuthenticator } from './tenants/index.ts';
import type { Viewer } from './tenants/index.ts';

/** Largest JSON body, as spec/decisions.md sets it. */
const maxBodyBytes = 32 * 2 ** 20;
const apiVersion = '1.0.0';

/** Answers every HTTP request: GraphQL, REST, health and pages. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** The handler of requests, and with it the connections that stay open. */
export type App = Handler & Readonly<{ live: Live }>;

export function createHandler(services: Services, limits?: LiveLimits): App {
  const executor = createExecutor(schema);
  const { authenticate } = createAuthenticator(services.database, services.notifications);
  const createContext = (viewer: Viewer | null, requestId: string, request: RestRequest): Context => ({
    services,
    viewer,
    requestId,
    request,
  });
  const rest = createRestHandler<Viewer, Context>({
    compile: executor.compile,
    subscribe: (document) => readSubscription(executor, document),
    authenticate,
    createContext,
    reportError: (error, requestId) => {
      services.logger.error(
        { requestId, error: error instanceof Error ? error.stack : String(error) },
        'a request failed',
      );
    },
  });
  const { notifications, logger } = services;
  const live = openLive({ executor, authenticate, createContext, notifications, logger, ...(limits && { limits }) });
  const graphql = createGraphQLEndpoint({
    executor,
    live,
    yoga: createGraphQLHandler(executor, services.logger),
    authenticate,
    createContext,
    renderPage: renderGraphiQLPage,
  });

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse, requestId: string): Promise<void> {
    const request = toRequest(incoming, outgoing);
    const path = request.target.split('?', 1)[0];
    if (path === '/graphql' || path === '/graphql/') return graphql(request, outgoing, requestId);
    if (path === '/' && incoming.method === 'GET') return send(outgoing, homePage);
    if (path === '/health') return sendJson(incoming, outgoing, { status: 200, body: { status: 'ok' } });
    if (path === '/ready') return sendJson(incoming, outgoing, await readiness(services));
    const reply = await rest(request, requestId);
    if (reply.stream !== undefined) return live.reply(incoming, outgoing, reply);
    return sendJson(incoming, outgoing, reply);
  }

  const handler: Handler = (incoming, outgoing) => {
    const requestId = requestIdOf(incoming);
    outgoing.setHeader('X-Request-Id', requestId);
    outgoing.setHeader('API-Version', apiVersion);
    answer(incoming, outgoing, requestId).catch((error: unknown) => {
      if (!outgoing.headersSent && error instanceof ReplyError) return sendJson(incoming, outgoing, error.reply);
      if (outgoing.destroyed) return; // The client has gone; there is no one to tell.
      services.logger.error(
        { requestId, error: error instanceof Error ? error.stack : String(error) },
        'a request failed',
      );
      if (outgoing.headersSent) outgoing.destroy();
      else
        sendJson(incoming, outgoing, { status: 500, body: { detail: 'Internal Server Error', request_id: requestId } });
    });
  };
  return Object.assign(handler, { live });
}

/** An HTTP server with time-outs that a slow sender cannot stretch. */
export function createServer(handler: Handler): Server {
  const server = createHttpServer({ maxHeaderSize: 32 * 1024, keepAliveTimeout: 65_000 }, handler);
  server.headersTimeout = 20_000;
  server.requestTimeout = 120_000;
  return server;
}

async function readiness({ database }: Services): Promise<Reply> {
  try {
    await database.pool.query('SELECT 1');
    return { status: 200, body: { status: 'ready', postgres: 'ok' } };
  } catch {
    return { status: 503, body: { status: 'not ready', postgres: 'unreachable' }, headers: { 'Retry-After': '5' } };
  }
}

function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : randomUUID();
}

function toRequest(incoming: IncomingMessage, outgoing: ServerResponse): RestRequest {
  let gone: AbortController | undefined;
  return {
    method: incoming.method ?? 'GET',
    target: incoming.url ?? '/',
    header(name) {
      const value = incoming.headers[name];
      if (typeof value !== 'string' || !value.includes(',')) return Array.isArray(value) ? value[0] : value?.trim();
      return incoming.headersDistinct[name]?.[0]?.trim();
    },
    readBody: () => readBody(incoming),
    get signal() {
      if (gone === undefined) {
        const controller = (gone = new AbortController());
        outgoing.once('close', () => controller.abort());
      }
      return gone.signal;
    },
  };
}

function readBody(incoming: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const refuse = () => {
      incoming.pause();
      reject(tooLarge());
    };
    if (Number(incoming.headers['content-length'] ?? 0) > maxBodyBytes) return refuse();
    const parts: Buffer[] = [];
    let size = 0;
    incoming.on('data', (part: Buffer) => {
      size += part.length;
      parts.push(part);
      if (size > maxBodyBytes) refuse();
    });
    incoming.once('end', () => resolve(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, size)));
    incoming.once('error', reject);
  });
}

function tooLarge(): ReplyError {
  return new ReplyError({
    status: 413,
    body: { detail: `The body is larger than ${maxBodyBytes / 2 ** 20} MiB`, code: 'too_large' },
    headers: { Connection: 'close' },
  });
}

function sendJson(incoming: IncomingMessage, outgoing: ServerResponse, { status, body, headers }: Reply): void {
  if (body === undefined) {
    outgoing.writeHead(status, headers).end();
    return;
  }
  const text = JSON.stringify(body);
  // As a string, a short body leaves in one packet with its headers; a long one is better encoded only once.
  const content = text.length > 16_384 ? Buffer.from(text) : text;
  const length = Buffer.byteLength(content);
  outgoing.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': length, ...headers });
  outgoing.end(incoming.method === 'HEAD' ? undefined : content);
}

function send(outgoing: ServerResponse, page: string): void {
  outgoing.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page);
}
