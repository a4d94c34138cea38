import type { Endpoint, Input, ServedEndpoint } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { toReply } from './errors.ts';
import type { ExecutionError } from './errors.ts';
import { refuse, ReplyError } from './problems.ts';
import type { Reply } from './problems.ts';
import { createInputReader, noBody, readRawBody } from './request.ts';
import type { InputReader, RestRequest } from './request.ts';
import { createRouter } from './router.ts';
import { createRunner } from './runner.ts';
import type { Document } from './runner.ts';

export type { Body, Endpoint, Parameter, ServedEndpoint } from './endpoint.ts';
export { endpoints } from './endpoints.ts';
export { writeJson } from './json.ts';
export { buildOpenApi } from './openapi/index.ts';
export { prefersProblem, problemType, toProblemDetails } from './problem-details.ts';
export { ReplyError } from './problems.ts';
export { createRouter } from './router.ts';
export type { Reply } from './problems.ts';
export type { RestRequest } from './request.ts';
export type { Field, ValueType } from './types.ts';

/** What REST needs of the server: it is a client of the schema and knows nothing else. */
export type RestHost<Viewer, Context> = Readonly<{
  /** Compiles a document of the schema; the same text costs nothing the second time. */
  compile(document: string): Document<Context>;
  authenticate(key: string): Promise<Viewer | null> | Viewer | null;
  /** Throws, as the schema would, when the viewer has not the right. */
  authorize(viewer: Viewer, scope: string): void;
  createContext(viewer: Viewer, requestId: string, request: RestRequest): Context;
  /** What a client may see of a failure; anything else of it goes to the log. */
  explain(error: unknown, requestId: string): ExecutionError;
}>;

export type RestHandler = (request: RestRequest, requestId: string) => Promise<Reply>;

/** Serves every endpoint of the table; those with a document through it. */
export function createRestHandler<Viewer, Context>(host: RestHost<Viewer, Context>): RestHandler {
  const route = createRouter(endpoints);
  const inputReaders = new Map(endpoints.map((endpoint) => [endpoint, createInputReader(endpoint)]));
  const run = createRunner(endpoints.filter(isServed), host.compile);

  async function answer(request: RestRequest, requestId: string): Promise<Reply> {
    const found = route(request.target);
    if (found === null) throw refuse(404, 'Not Found');
    if (request.method === 'OPTIONS') return { status: 204, headers: { Allow: found.allow() } };
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const match = found.find(method);
    if (match === null)
      return { status: 405, body: { detail: 'Method Not Allowed' }, headers: { Allow: found.allow() } };
    const { endpoint, values } = match;
    const body = endpoint.body === undefined ? noBody : await readRawBody(endpoint.body, request);
    const viewer = await identify(request.header('api-key'));
    host.authorize(viewer, endpoint.scope);
    const input = readInput(endpoint, request, values, body);
    if (!isServed(endpoint)) throw refuse(501, `${endpoint.summary}: not implemented yet`, { code: 'not_implemented' });
    return run(endpoint, input, host.createContext(viewer, requestId, request), requestId);
  }

  async function identify(key: string | undefined): Promise<Viewer> {
    if (key === undefined || key === '') throw unauthorized('unauthenticated');
    const viewer = await host.authenticate(key);
    if (viewer === null) throw unauthorized('invalid_key');
    return viewer;
  }

  function readInput(endpoint: Endpoint, ...request: Parameters<InputReader>): Input {
    const input = (inputReaders.get(endpoint) as InputReader)(...request);
    endpoint.check?.(input);
    return input;
  }

  return async (request, requestId) => {
    try {
      return await answer(request, requestId);
    } catch (error) {
      if (error instanceof ReplyError) return error.reply;
      return toReply(host.explain(error, requestId), requestId);
    }
  };
}

function isServed(endpoint: Endpoint): endpoint is ServedEndpoint {
  return endpoint.document !== undefined;
}

function unauthorized(code: 'unauthenticated' | 'invalid_key'): ReplyError {
  return new ReplyError(toReply({ message: '', extensions: { code } }, ''));
}
