import { setMaxListeners } from 'node:events';
import { ReplyError } from '../lib/http-contract.ts';
import type { ApiRequest, Reply } from '../lib/http-contract.ts';
import type { ApiHandler, ApiHost } from '../lib/http-api.ts';
import { createApiDocs } from './api-docs.ts';
import { favicon } from './favicon.ts';
import {
  createExecutor,
  createGraphQLEndpoint,
  createGraphQLHandler,
  PersistedDocuments,
  readSubscription,
  renderGraphiQLPage,
  requireScope,
  schema,
  toClientError,
} from '../graphql/index.ts';
import type { Context, Services } from '../graphql/index.ts';
import { createConsole } from './console.ts';
import { renderHomePage } from './home-page.ts';
import { httpApis } from './http-apis.ts';
import { refusalOf } from '../http/admission.ts';
import { BodyBudget } from '../http/body-budget.ts';
import { createCors } from '../http/cors.ts';
import { Exchange } from '../http/exchange.ts';
import type { HttpSettings } from '../http/exchange.ts';
import { limits as standardLimits } from '../http/limits.ts';
import type { Limits } from '../http/limits.ts';
import { createPage } from '../http/page.ts';
import { pathOf } from '../http/routes.ts';
import { finish, sendReply } from '../http/send.ts';
import type { Handler } from '../http/server.ts';
import { UnreadReplies } from '../http/unread-replies.ts';
import { createMetricsEndpoint } from './metrics-endpoint.ts';
import { createPreviewEndpoint } from './preview-endpoint.ts';
import { openLive } from '../live/index.ts';
import type { Live, LiveLimits } from '../live/index.ts';
import { createAsk, probesBehind, readiness, uncached } from './readiness.ts';
import type { Ask } from './readiness.ts';
import { allowOf, ownPathOf, ownPaths } from './routes.ts';
import { isTracing, withRequestSpan } from '../observability/tracing.ts';
import type { Scope, Viewer } from '../tenants/index.ts';

export type HandlerOptions = Readonly<{
  limits?: Limits;
  /** Origins whose scripts may use the service; `*` for all. */
  corsOrigins?: readonly string[];
  /** Where the service is reached, if it is configured; the first of OpenAPI's `servers`. */
  baseUrl?: string | undefined;
  /** Fires when requests should be sent elsewhere, though they are still taken. */
  draining?: AbortSignal;
  /** Fires when no new requests are taken. */
  stopping?: AbortSignal;
  /** Fires when requests that wait should answer with what they have. */
  hurry?: AbortSignal;
  /** How `/ready` asks what the services stand on. */
  askBehind?: Ask;
  /** Limits of connections that stay open. */
  live?: LiveLimits;
}>;

/** The handler of requests, and with it the connections that stay open. */
export type App = Handler & Readonly<{ live: Live }>;

type Serve = (exchange: Exchange) => Promise<void> | void;
type OwnPaths = Readonly<Record<string, Serve>>;

const never = new AbortController().signal;

function askServices(services: Services): Ask {
  return createAsk(probesBehind({ ...services, meilisearch: services.meilisearch?.client ?? null }), services.logger);
}

/** Answers every HTTP request: GraphQL, the APIs beside it, health and pages. */
export function createHandler(
  services: Services,
  {
    limits = standardLimits,
    corsOrigins = [],
    baseUrl,
    draining = never,
    stopping = never,
    hurry = never,
    live: liveLimits,
    askBehind = askServices(services),
  }: HandlerOptions = {},
): App {
  setMaxListeners(0, hurry); // Every request that waits listens.
  const budgets = { bodies: new BodyBudget(limits), unread: new UnreadReplies(limits) };
  const cors = createCors(corsOrigins, allowOf);
  const settings: HttpSettings = { limits, cors, draining, stopping, hurry, ...budgets };
  const executor = createExecutor(schema, services.answers);
  const { authenticate } = services.access;
  const identify = identifyBy(authenticate);
  const explain = (error: unknown, requestId: string) => toClientError(error, services, requestId);
  const createContext = (viewer: Viewer | null, requestId: string, request: ApiRequest): Context => ({
    services,
    viewer,
    requestId,
    request,
  });
  const host: ApiHost<Viewer, Context> = {
    compile: executor.compile,
    subscribe: (document) => readSubscription(executor, document),
    authenticate: (key, request) => identify(key, request as Exchange),
    // The names of rights in the tables of APIs are those of the schema, which a test checks.
    authorize: (context, scope) => requireScope(context, scope as Scope),
    createContext,
    explain,
  };
  const apis = httpApis.map((api) => api.createHandler(host));
  const { notifications, logger } = services;
  const live = openLive({ executor, authenticate, createContext, explain, notifications, logger, limits: liveLimits });
  const persisted = new PersistedDocuments();
  const graphql = { executor, persisted, sendStream: live.reply, identify, createContext, explain };
  const own: OwnPaths = {
    '/': createPage(() => renderHomePage(httpApis)),
    '/graphql': createGraphQLEndpoint({
      ...graphql,
      yoga: createGraphQLHandler(executor, persisted, explain),
      sendPage: createPage(() => renderGraphiQLPage(favicon)),
    }),
    '/health': sendHealth,
    '/ready': async (exchange) => sendReply(exchange, await readiness(askBehind, draining.aborted || stopping.aborted)),
    '/metrics': createMetricsEndpoint(authenticate),
    ...createConsole({ ...services, identify }),
    '/previews/': createPreviewEndpoint(services.previews),
    ...Object.assign({}, ...httpApis.map((api) => createApiDocs(api, schema, baseUrl))),
  };
  const toApis: Serve = async (exchange) => {
    const reply = await replyOf(apis, exchange);
    return reply.stream === undefined ? sendReply(exchange, reply) : live.reply(exchange, reply);
  };
  return Object.assign(toHandler(toAnswer(own, toApis), settings, explain), { live });
}

function sendHealth(exchange: Exchange): Promise<void> | void {
  return sendReply(exchange, { status: 200, body: { status: 'ok' }, headers: uncached });
}

/** Whose key it is pays for the request from then on. */
function identifyBy(authenticate: Services['access']['authenticate']) {
  return async (key: string, exchange: Exchange): Promise<Viewer | null> => {
    const viewer = await authenticate(key);
    if (viewer !== null) exchange.chargeTo(viewer);
    return viewer;
  };
}

/** The reply of the API that has the path; 404 where none has. */
async function replyOf(apis: readonly ApiHandler[], exchange: Exchange): Promise<Reply> {
  for (const answer of apis) {
    const reply = await answer(exchange, exchange.requestId);
    if (reply !== null) return reply;
  }
  return notFound;
}

const notFound: Reply = { status: 404, body: { detail: 'Not Found' } };

/** Leads each request to what its path names: a page, GraphQL, or else an API. */
function toAnswer(own: OwnPaths, toApis: Serve): (exchange: Exchange) => Promise<void> {
  return async (exchange) => {
    const { method, target } = exchange;
    const refusal = refusalOf(exchange);
    if (refusal !== null) return sendReply(exchange, refusal);
    if (method === 'OPTIONS' && sendPreflight(exchange)) return;
    const path = ownPathOf(pathOf(target));
    const allow = ownPaths.get(path);
    if (allow === undefined) return toApis(exchange);
    exchange.route = path;
    if (method === 'OPTIONS') return sendReply(exchange, { status: 204, headers: { Allow: allow.join(', ') } });
    if (!allow.includes(method)) return sendReply(exchange, notAllowed(allow));
    return own[path]?.(exchange);
  };
}

/** Answers each request, whatever becomes of it: what cannot be answered ends its connection, never the process. */
function toHandler(
  answer: (exchange: Exchange) => Promise<void>,
  settings: HttpSettings,
  explain: (error: unknown, requestId: string) => unknown,
): Handler {
  const begin = async (exchange: Exchange) => withRequestSpan(exchange, () => answer(exchange));
  /** Tells the client of a failure; nobody of one that comes of the client having gone. */
  const fail = async (exchange: Exchange, error: unknown) => {
    const { outgoing, requestId } = exchange;
    if (outgoing.destroyed) return;
    if (!outgoing.headersSent && error instanceof ReplyError) return sendReply(exchange, error.reply);
    explain(error, requestId);
    if (outgoing.headersSent) outgoing.destroy();
    else return sendReply(exchange, internalError(requestId));
  };
  return (incoming, outgoing) => {
    const exchange = new Exchange(incoming, outgoing, settings);
    const answering = isTracing() ? begin(exchange) : answer(exchange);
    answering
      .catch((error: unknown) => fail(exchange, error))
      .catch((error: unknown) => {
        explain(error, exchange.requestId);
        outgoing.destroy();
      });
  };
}

function notAllowed(allow: readonly string[]): Reply {
  return { status: 405, body: { detail: 'Method Not Allowed' }, headers: { Allow: allow.join(', ') } };
}

function internalError(requestId: string): Reply {
  return { status: 500, body: { detail: 'Internal Server Error', request_id: requestId } };
}

/** Answers a browser that asks before it lets a script send something; false for any other OPTIONS. */
function sendPreflight(exchange: Exchange): boolean {
  const { incoming, settings, target } = exchange;
  const { origin, 'access-control-request-method': wanted } = incoming.headers;
  if (target === '*') {
    finish(exchange, 204, [...exchange.headers(), 'Allow', allowOf('*') ?? ''], undefined);
    return true;
  }
  if (settings.cors === null || origin === undefined || wanted === undefined) return false;
  const lines = settings.cors.preflight(origin, target);
  if (lines === null) return false;
  finish(exchange, 204, [...exchange.headers(), ...lines], undefined);
  return true;
}
