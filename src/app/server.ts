import { setMaxListeners } from 'node:events';
import { ReplyError } from '../lib/http-contract.ts';
import type { ApiRequest, Reply } from '../lib/http-contract.ts';
import type { ApiHandler, ApiHost } from '../lib/http-api.ts';
import { downloadsPath } from '../exports/index.ts';
import { createApiDocs } from './api-docs.ts';
import { favicon } from './favicon.ts';
import {
  createExecutor,
  createGraphQLEndpoint,
  createGraphQLHandler,
  LargeReplies,
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
import { refusalOf } from '../http/request/admission.ts';
import { BodyBudget } from '../http/request/body-budget.ts';
import { createLargeBodies } from '../http/request/large-bodies.ts';
import { createCors } from '../http/reply/cors.ts';
import { Exchange } from '../http/exchange.ts';
import type { HttpSettings } from '../http/exchange.ts';
import { limits as standardLimits } from '../http/limits.ts';
import type { Limits } from '../http/limits.ts';
import { createPage } from '../http/reply/page.ts';
import { pathOf } from '../http/request/routes.ts';
import { endReply, sendReply } from '../http/reply/send.ts';
import type { Handler } from '../http/connection/server.ts';
import { UnreadReplies } from '../http/connection/unread-replies.ts';
import { createBackupEndpoint } from './backup-endpoint.ts';
import { createMcpEndpoint } from './mcp-endpoint.ts';
import { mcpPath } from './mcp-path.ts';
import { createMetricsEndpoint } from './metrics-endpoint.ts';
import { createDownloadEndpoint } from './download-endpoint.ts';
import { createFileEndpoint } from './file-endpoint.ts';
import { createUploadEndpoint } from './upload-endpoint.ts';
import type { UploadDeps } from './upload-endpoint.ts';
import { begunUploadsPath, uploadMethodOf, uploadMethods, uploadsPath } from './upload-paths.ts';
import { createPreviewEndpoint } from './preview-endpoint.ts';
import { openLive } from '../live/index.ts';
import type { ActiveTenants } from '../lib/active-tenants.ts';
import type { Live, LiveLimits } from '../live/index.ts';
import { createAsk, probesBehind, readiness, uncached } from './readiness.ts';
import type { Ask } from './readiness.ts';
import { allowOf, ownPathOf, ownPaths } from './routes.ts';
import { isTracing, withRequestSpan } from '../observability/tracing.ts';
import { mayAskSimilarity } from '../search/index.ts';
import type { Scope, Viewer } from '../tenants/index.ts';

export type HandlerOptions = Readonly<{
  limits?: Limits;
  /** Origins whose scripts may use the service; `*` for all. */
  corsOrigins?: readonly string[];
  /** The configured address of the service, if any; the first of OpenAPI's `servers`. */
  baseUrl?: string | undefined;
  /** Fires when clients should use another process; requests are still answered. */
  draining?: AbortSignal;
  /** Fires when no new requests are accepted. */
  stopping?: AbortSignal;
  /** Fires when waiting requests should answer with what they have so far. */
  hurry?: AbortSignal;
  /** Fires when bodies that are still arriving are refused. */
  cut?: AbortSignal | undefined;
  /** How `/ready` probes the backing services. */
  askBehind?: Ask;
  /** Limits of long-lived connections. */
  live?: LiveLimits;
}>;

/** The handler of requests, with the long-lived connections. */
export type App = Handler & Readonly<{ live: Live }>;

type Serve = (exchange: Exchange) => Promise<void> | void;
type OwnPaths = Readonly<Record<string, Serve>>;

const never = new AbortController().signal;

function askServices(services: Services): Ask {
  return createAsk(probesBehind({ ...services, meilisearch: services.meilisearch?.client ?? null }), services.logger);
}

/** State that the requests of all tenants share. */
function sharedBy(activeTenants: ActiveTenants, limits: Limits) {
  return {
    bodies: new BodyBudget(limits),
    largeBodies: createLargeBodies(activeTenants, limits),
    unread: new UnreadReplies(limits),
    activeTenants,
  };
}

/** Answers every HTTP request: GraphQL, the APIs next to it, health and pages. */
export function createHandler(
  services: Services,
  {
    limits = standardLimits,
    corsOrigins = [],
    baseUrl,
    draining = never,
    stopping = never,
    hurry = never,
    cut,
    live: liveLimits,
    askBehind = askServices(services),
  }: HandlerOptions = {},
): App {
  setMaxListeners(0, hurry); // Every waiting request adds a listener.
  const { notifications, logger, database } = services;
  const { activeTenants } = database;
  const cors = createCors(corsOrigins, allowOf);
  const settings: HttpSettings = { limits, cors, draining, stopping, hurry, cut, ...sharedBy(activeTenants, limits) };
  const executor = createExecutor(schema, new LargeReplies(activeTenants), services.answers);
  const { authenticate } = services.access;
  const identify = identifyBy(authenticate);
  const explain = (error: unknown, requestId: string) => toClientError(error, services, requestId);
  const createContext = (viewer: Viewer | null, requestId: string, request: ApiRequest): Context => {
    return { services, viewer, requestId, request };
  };
  const host: ApiHost<Viewer, Context> = {
    compile: executor.compile,
    subscribe: (document) => readSubscription(executor, document),
    authenticate: (key, request) => identify(key, request as Exchange),
    // The permission names in the tables of the APIs are those of the schema, which a test checks.
    authorize: (context, scope) => requireScope(context, scope as Scope),
    createContext,
    mayAskSimilarity,
    explain,
  };
  const apis = httpApis.map((api) => api.createHandler(host));
  const live = openLive({ executor, authenticate, createContext, explain, notifications, logger, limits: liveLimits });
  const persisted = new PersistedDocuments();
  const caller = { identify, createContext, explain };
  const yoga = createGraphQLHandler(executor, persisted, explain);
  const graphql = { executor, persisted, sendStream: live.reply, yoga, ...caller };
  const toApis: Serve = async (exchange) => {
    const reply = await replyOf(apis, exchange);
    return reply.stream === undefined ? sendReply(exchange, reply) : live.reply(exchange, reply);
  };
  const own: OwnPaths = {
    '/': createPage(() => renderHomePage(httpApis)),
    '/graphql': createGraphQLEndpoint({ ...graphql, sendPage: createPage(() => renderGraphiQLPage(favicon)) }),
    '/health': sendHealth,
    '/ready': async (exchange) => sendReply(exchange, await readiness(askBehind, draining.aborted || stopping.aborted)),
    '/metrics': createMetricsEndpoint(authenticate),
    [mcpPath]: createMcpEndpoint({ ...services, ...caller, compile: executor.compile }),
    '/backup': createBackupEndpoint(caller),
    ...createConsole({ ...services, identify }),
    ...signedPaths(services),
    ...uploadPaths({ uploads: services.uploads, ...caller, toApis }),
    ...Object.assign({}, ...httpApis.map((api) => createApiDocs(api, schema, baseUrl))),
  };
  return Object.assign(toHandler(toAnswer(own, toApis), settings, explain), { live });
}

function uploadPaths(deps: UploadDeps): OwnPaths {
  const endpoint = createUploadEndpoint(deps);
  return { [uploadsPath]: endpoint, [begunUploadsPath]: endpoint };
}

/** Paths that a signed address opens, without a key. */
function signedPaths({ previews, exports }: Services): OwnPaths {
  return {
    '/previews/': createPreviewEndpoint(previews),
    '/files/': createFileEndpoint(previews),
    [downloadsPath]: createDownloadEndpoint(exports),
  };
}

function sendHealth(exchange: Exchange): Promise<void> | void {
  return sendReply(exchange, { status: 200, body: { status: 'ok' }, headers: uncached });
}

/** Once identified, the request is charged to the owner of the key. */
function identifyBy(authenticate: Services['access']['authenticate']) {
  return async (key: string, exchange: Exchange): Promise<Viewer | null> => {
    const viewer = await authenticate(key);
    if (viewer !== null) exchange.chargeTo(viewer);
    return viewer;
  };
}

/** The reply of the API that has the path; 404 if none has it. */
async function replyOf(apis: readonly ApiHandler[], exchange: Exchange): Promise<Reply> {
  for (const answer of apis) {
    const reply = await answer(exchange, exchange.requestId);
    if (reply !== null) return reply;
  }
  return notFound;
}

const notFound: Reply = { status: 404, body: { detail: 'Not Found' } };

/** Routes requests by path: a page, GraphQL, or else an API. */
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
    // Clients of the tus protocol use it to find out what the service supports.
    const isAnswered = path in uploadMethods;
    if (method === 'OPTIONS' && !isAnswered) {
      return sendReply(exchange, { status: 204, headers: { Allow: allow.join(', ') } });
    }
    const asked = isAnswered ? uploadMethodOf(exchange) : method;
    if (!allow.includes(asked)) return sendReply(exchange, notAllowed(allow));
    return own[path]?.(exchange);
  };
}

/** Answers each request; a failure ends at most its connection, never the process. */
function toHandler(
  answer: (exchange: Exchange) => Promise<void>,
  settings: HttpSettings,
  explain: (error: unknown, requestId: string) => unknown,
): Handler {
  const begin = async (exchange: Exchange) => withRequestSpan(exchange, () => answer(exchange));
  /** Reports a failure to the client, unless the client has disconnected. */
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

/** Answers the preflight of a browser; returns false for any other OPTIONS request. */
function sendPreflight(exchange: Exchange): boolean {
  const { incoming, settings, target } = exchange;
  const { origin, 'access-control-request-method': wanted } = incoming.headers;
  if (target === '*') {
    endReply(exchange, 204, [...exchange.headers(), 'Allow', allowOf('*') ?? ''], undefined);
    return true;
  }
  if (settings.cors === null || origin === undefined || wanted === undefined) return false;
  const lines = settings.cors.preflight(origin, target);
  if (lines === null) return false;
  endReply(exchange, 204, [...exchange.headers(), ...lines], undefined);
  return true;
}
