import { readDocument, requestedFields } from './documents.ts';
import { endpoints } from './endpoints.ts';
import type { Endpoint, Input } from './endpoints.ts';
import { internalError, toReply } from './errors.ts';
import type { ExecutionError } from './errors.ts';
import { refuse, ReplyError } from './problems.ts';
import type { Reply } from './problems.ts';
import { readInput, readJsonBody } from './request.ts';
import type { RestRequest } from './request.ts';
import { createRouter } from './router.ts';
import { toStreamReply } from './streams.ts';
import type { Subscribed } from './streams.ts';

export { endpoints } from './endpoints.ts';
export { ReplyError } from './problems.ts';
export type { Reply } from './problems.ts';
export type { RestRequest } from './request.ts';

/** What REST needs of the server: it is a client of the schema and knows nothing else. */
export type RestHost<Viewer, Context> = Readonly<{
  /** Compiles a document of the schema; the same text costs nothing the second time. */
  compile(document: string): Document<Context>;
  /** Reads a subscription of the schema. */
  subscribe(document: string): Subscription<Context>;
  authenticate(key: string): Promise<Viewer | null> | Viewer | null;
  createContext(viewer: Viewer, requestId: string, request: RestRequest): Context;
  reportError(error: unknown, requestId: string): void;
}>;

type Document<Context> = Readonly<{
  execute(variables: Readonly<Record<string, unknown>>, context: Context): Promise<ExecutionResult>;
}>;

type Subscription<Context> = (variables: Readonly<Record<string, unknown>>, context: Context) => Promise<Subscribed>;

type ExecutionResult = Readonly<{
  data?: Readonly<Record<string, unknown>> | null | undefined;
  errors?: readonly ExecutionError[] | undefined;
}>;

export type RestHandler = (request: RestRequest, requestId: string) => Promise<Reply>;

/** Serves every endpoint of the table through its document. */
export function createRestHandler<Viewer, Context>(host: RestHost<Viewer, Context>): RestHandler {
  const route = createRouter(endpoints);
  const compiled = new Map<string, Document<Context>>();
  const subscriptions = new Map<string, Subscription<Context>>();

  /** The compiled document of an endpoint for a set of fields; the host bounds how many it keeps. */
  function documentOf(endpoint: Endpoint, fields: readonly string[] | undefined): Document<Context> {
    if (fields === undefined || fields === endpoint.defaultFields) {
      let document = compiled.get(endpoint.document);
      if (document === undefined) compiled.set(endpoint.document, (document = compile(endpoint, fields)));
      return document;
    }
    return compile(endpoint, fields);
  }

  function compile({ document }: Endpoint, fields: readonly string[] | undefined): Document<Context> {
    const text = readDocument(document);
    return host.compile(fields === undefined ? text : `${text}\n${requestedFields('Image', fields)}`);
  }

  // At start: a document that the schema does not answer must not wait for its first caller.
  for (const endpoint of endpoints) {
    if ('stream' in endpoint) subscriptions.set(endpoint.document, host.subscribe(readDocument(endpoint.document)));
    else documentOf(endpoint, endpoint.defaultFields);
  }

  async function answer(request: RestRequest, requestId: string): Promise<Reply> {
    const found = route(request.target);
    if (found === null) throw refuse(404, 'Not Found');
    if (request.method === 'OPTIONS') return { status: 204, headers: { Allow: found.allow() } };
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const match = found.find(method);
    if (match === null)
      return { status: 405, body: { detail: 'Method Not Allowed' }, headers: { Allow: found.allow() } };
    const { endpoint, values } = match;
    const body = endpoint.body === undefined ? { isPresent: false, value: null } : await readJsonBody(request);
    const viewer = await identify(request.header('api-key'));
    const input = readInput(endpoint, request, values, body);
    return run(endpoint, input, host.createContext(viewer, requestId, request), requestId);
  }

  async function identify(key: string | undefined): Promise<Viewer> {
    if (key === undefined || key === '') throw unauthorized('unauthenticated');
    const viewer = await host.authenticate(key);
    if (viewer === null) throw unauthorized('invalid_key');
    return viewer;
  }

  async function run(endpoint: Endpoint, input: Input, context: Context, requestId: string): Promise<Reply> {
    const variables = endpoint.variables(input);
    if ('stream' in endpoint) {
      const subscribe = subscriptions.get(endpoint.document) as Subscription<Context>;
      return toStreamReply(endpoint, await subscribe(variables, context), input, requestId);
    }
    const fields = endpoint.defaultFields && (input.values['fields'] as readonly string[]);
    const { data, errors } = await documentOf(endpoint, fields).execute(variables, context);
    const [error] = errors ?? [];
    if (error !== undefined) return toReply(error, requestId);
    return endpoint.reply(data ?? {}, input);
  }

  return async (request, requestId) => {
    try {
      return await answer(request, requestId);
    } catch (error) {
      if (error instanceof ReplyError) return error.reply;
      host.reportError(error, requestId);
      return internalError(requestId);
    }
  };
}

function unauthorized(code: 'unauthenticated' | 'invalid_key'): ReplyError {
  return new ReplyError(toReply({ message: '', extensions: { code } }, ''));
}
