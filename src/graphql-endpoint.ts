import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ReplyError } from '../rest/index.ts';
import type { RestRequest } from '../rest/index.ts';
import type { Context, Executor, Variables, Yoga } from './graphql/index.ts';
import type { Authenticator, Viewer } from './tenants/index.ts';

export type GraphQLEndpointDeps = Readonly<{
  executor: Executor;
  yoga: Yoga;
  authenticate: Authenticator['authenticate'];
  createContext(viewer: Viewer | null, requestId: string, request: RestRequest): Context;
  renderPage(): Promise<Buffer>;
}>;

export type GraphQLEndpoint = (request: RestRequest, response: ServerResponse, requestId: string) => Promise<void>;

/**
 * GraphQL over HTTP. A document that has run before goes straight to the compiled executor; every
 * other request is Yoga's: first sight of a document, GET, GraphiQL, and all mistakes.
 */
export function createGraphQLEndpoint(deps: GraphQLEndpointDeps): GraphQLEndpoint {
  const { executor, yoga, authenticate, createContext } = deps;
  let page: Promise<Buffer> | undefined;

  return async (request, response, requestId) => {
    if (request.method === 'GET' && (request.header('accept') ?? '').includes('text/html')) {
      page ??= deps.renderPage();
      const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Encoding': 'gzip' };
      response.writeHead(200, headers).end(await page);
      return;
    }
    const body = request.method === 'POST' ? await request.readBody() : undefined;
    const key = request.header('api-key');
    const viewer = key === undefined || key === '' ? null : await authenticate(key);
    if (viewer === null && key !== undefined && key !== '') throw invalidKey();
    const context = createContext(viewer, requestId, request);
    const known = body === undefined ? null : findKnown(request, body, executor);
    if (known === null) return useYoga(yoga, request, body, context, response);
    const result = await known.prepared.execute(known.variables, context);
    // Without data nothing has run. Only the newer type of answer lets the status tell of that.
    const status = result.data === undefined && known.type === modernType ? 400 : 200;
    response.writeHead(status, { 'Content-Type': `${known.type}; charset=utf-8` }).end(JSON.stringify(result));
  };
}

type Known = Readonly<{ prepared: NonNullable<ReturnType<Executor['find']>>; variables: Variables; type: string }>;

/** The compiled document that a well-formed request of the common kind names, or null. */
function findKnown(request: RestRequest, body: Buffer, executor: Executor): Known | null {
  const type = answerType(request.header('accept'));
  if (type === null || !/^application\/json\b/i.test(request.header('content-type') ?? '')) return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString());
  } catch {
    return null; // Yoga words the complaint.
  }
  if (typeof parsed !== 'object' || parsed === null) return null;
  const { query, variables = {}, operationName, extensions } = parsed as Record<string, unknown>;
  const hasPlainVariables = variables === null || (typeof variables === 'object' && !Array.isArray(variables));
  const hasPlainName = operationName === undefined || operationName === null || typeof operationName === 'string';
  if (typeof query !== 'string' || !hasPlainVariables || !hasPlainName || extensions !== undefined) return null;
  const prepared = executor.find(query, operationName ?? undefined);
  return prepared === undefined ? null : { prepared, variables: (variables ?? {}) as Variables, type };
}

const modernType = 'application/graphql-response+json';

/** The type to answer in, for the `Accept` headers of common clients; null leaves the choice to Yoga. */
function answerType(accept = '*/*'): string | null {
  if (accept.startsWith(modernType)) return modernType;
  return accept === '*/*' || accept.startsWith('application/json') ? 'application/json' : null;
}

async function useYoga(
  yoga: Yoga,
  request: RestRequest,
  body: Buffer | undefined,
  context: Context,
  response: ServerResponse,
): Promise<void> {
  const headers = new Headers();
  for (const name of ['accept', 'content-type']) {
    const value = request.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  const url = new URL(request.target, 'http://localhost');
  const init = { method: request.method, headers, ...(body && { body: new Uint8Array(body) }) };
  const answer = await yoga(new Request(url, init), context);
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) response.end();
  // Yoga's stream is a ponyfill that Readable.fromWeb does not accept, but it can be iterated.
  else await pipeline(Readable.from(answer.body as unknown as AsyncIterable<Uint8Array>), response);
}

function invalidKey(): ReplyError {
  const error = { message: 'Invalid API key', extensions: { code: 'invalid_key' } };
  return new ReplyError({ status: 401, body: { errors: [error] }, headers: { 'WWW-Authenticate': 'APIKey' } });
}
