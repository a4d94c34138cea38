import { excerpt } from '../src/lib/excerpt.ts';
import type { Endpoint, Input, ServedEndpoint, StreamEndpoint } from './endpoints/endpoint.ts';
import { endpoints } from './endpoints/index.ts';
import { toReply } from './answer/errors.ts';
import type { ExecutionError } from './answer/errors.ts';
import { refuse, ReplyError } from './problems.ts';
import type { Reply } from './problems.ts';
import { createInputReader, noBody, readRawBody } from './request/request.ts';
import type { InputReader, RestRequest } from './request/request.ts';
import { createRouter } from './answer/router.ts';
import type { Route } from './answer/router.ts';
import { createRunner } from './answer/runner.ts';
import type { Document } from './answer/runner.ts';
import { createStreamer } from './answer/streams.ts';
import type { Subscription } from './answer/streams.ts';

export type { Endpoint, StreamEndpoint } from './endpoints/endpoint.ts';
export { endpoints } from './endpoints/index.ts';
export { writeJson } from './compat/json.ts';
export { buildOpenApi, serversOf } from './openapi/index.ts';
export { prefersProblem, problemType, toProblemDetails } from './problem-details.ts';
export { ReplyError } from './problems.ts';
export { createRouter } from './answer/router.ts';
export type { Reply } from './problems.ts';
export type { RestRequest } from './request/request.ts';
export type { Field } from './endpoints/types.ts';

/** What REST needs of the server: it is a client of the schema and knows nothing else. */
export type RestHost<Viewer, Context> = Readonly<{
  /** Compiles a document of the schema; the same text costs nothing the second time. */
  compile(document: string): Document<Context>;
  /** Reads a subscription of the schema. */
  subscribe(document: string): Subscription<Context>;
  /** Whose key it is, and so whose request. */
  authenticate(key: string, request: RestRequest): Promise<Viewer | null> | Viewer | null;
  createContext(viewer: Viewer, requestId: string, request: RestRequest): Context;
  /** Throws, as the schema would, when the viewer has not the right. */
  authorize(context: Context, scope: string): void;
  /** What a client may see of a failure; anything else of it goes to the log. */
  explain(error: unknown, requestId: string): ExecutionError;
}>;

export type RestHandler = (request: RestRequest, requestId: string) => Promise<Reply>;

/** Serves every endpoint of the table, each through its document of the schema. */
export function createRestHandler<Viewer, Context>(host: RestHost<Viewer, Context>): RestHandler {
  const route = createRouter(endpoints);
  const inputReaders = new Map(endpoints.map((endpoint) => [endpoint, createInputReader(endpoint)]));
  const run = createRunner(endpoints.filter(isServed), host.compile);
  const follow = createStreamer(endpoints.filter(isStream), host.subscribe);

  async function answer(request: RestRequest, requestId: string): Promise<Reply> {
    const found = route(request.target);
    if (found === null) throw refuse(404, 'Not Found');
    if (request.method === 'OPTIONS') return { status: 204, headers: { Allow: found.allow() } };
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const match = found.find(method);
    if (match === null) return notAllowed(found);
    const { endpoint, values } = match;
    request.route = endpoint.path;
    // Who asks, and whether that is allowed, is known from the head alone: nothing is read for a stranger.
    const viewer = await identify(request);
    const context = host.createContext(viewer, requestId, request);
    host.authorize(context, endpoint.scope);
    const body = endpoint.body === undefined ? noBody : await readRawBody(endpoint.body, request);
    const input = await readInput(endpoint, request, values, body);
    return isStream(endpoint) ? follow(endpoint, input, context, requestId) : run(endpoint, input, context, requestId);
  }

  async function identify(request: RestRequest): Promise<Viewer> {
    const key = request.header('api-key');
    if (key === undefined || key === '') throw unauthorized('unauthenticated');
    const viewer = await host.authenticate(key, request);
    if (viewer === null) throw unauthorized('invalid_key');
    return viewer;
  }

  async function readInput(endpoint: Endpoint, ...request: Parameters<InputReader>): Promise<Input> {
    const input = await (inputReaders.get(endpoint) as InputReader)(...request);
    endpoint.check?.(input);
    return input;
  }

  return async (request, requestId) => {
    try {
      return await answer(request, requestId);
    } catch (error) {
      if (error instanceof ReplyError) return error.reply;
      return toReply(host.explain(error, requestId), requestId, { target: request.target });
    }
  };
}

function isStream(endpoint: Endpoint): endpoint is StreamEndpoint {
  return 'stream' in endpoint;
}

function isServed(endpoint: Endpoint): endpoint is ServedEndpoint {
  return !isStream(endpoint);
}

function notAllowed({ allow, reserved }: Route): Reply {
  const hint =
    reserved !== null &&
    `'${excerpt(reserved)}' is no id that a path can have: it is an endpoint of its own. A record of this id is reached by batches and GraphQL`;
  const body = { detail: 'Method Not Allowed', ...(hint !== false && { hint }) };
  return { status: 405, body, headers: { Allow: allow() } };
}

function unauthorized(code: 'unauthenticated' | 'invalid_key'): ReplyError {
  return new ReplyError(toReply({ message: '', extensions: { code } }, '', { target: '' }));
}
