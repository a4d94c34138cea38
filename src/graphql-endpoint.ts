import type { GraphQLError } from 'graphql';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ReplyError } from '../rest/index.ts';
import type { RestRequest } from '../rest/index.ts';
import { isUpload, readUpload } from './graphql-upload.ts';
import type { Context, Executor, PersistedDocuments, Variables, Yoga } from './graphql/index.ts';
import type { Exchange } from './http/exchange.ts';
import type { SendPage } from './http/page.ts';
import { sendText } from './http/send.ts';
import type { Live } from './live/index.ts';
import type { Authenticator, Viewer } from './tenants/index.ts';

export type GraphQLEndpointDeps = Readonly<{
  executor: Executor;
  persisted: PersistedDocuments;
  yoga: Yoga;
  live: Live;
  authenticate: Authenticator['authenticate'];
  createContext(viewer: Viewer | null, requestId: string, request: RestRequest): Context;
  /** What a client may see of a failure. */
  explain(error: unknown, requestId: string): GraphQLError;
  sendPage: SendPage;
}>;

export type GraphQLEndpoint = (exchange: Exchange) => Promise<void>;

/**
 * GraphQL over HTTP. A document that has run before goes straight to the compiled executor; every
 * other request is Yoga's: first sight of a document, GET, and all mistakes.
 */
export function createGraphQLEndpoint(deps: GraphQLEndpointDeps): GraphQLEndpoint {
  const { executor, persisted, authenticate, createContext, explain, sendPage } = deps;

  async function identify(exchange: Exchange): Promise<Viewer | null> {
    const key = exchange.header('api-key');
    if (key === undefined || key === '') return null;
    const viewer = await authenticate(key);
    if (viewer === null) throw invalidKey();
    return viewer;
  }

  /** Not Yoga's: the document runs on the same executor, while its files still arrive. */
  async function answerUpload(exchange: Exchange): Promise<void> {
    const viewer = await identify(exchange);
    if (viewer === null) throw unauthenticated(); // Before 25 MiB are read for nobody.
    const { query, operationName, variables, arrived } = await readUpload(exchange);
    const prepared = executor.find(query, operationName) ?? prepareNew(executor, query, operationName);
    const context = createContext(viewer, exchange.requestId, exchange);
    const running = 'errors' in prepared ? prepared : prepared.execute(variables, context);
    const [result] = await Promise.all([running, arrived]);
    const type = answerType(exchange.header('accept')) ?? 'application/json';
    const status = result.data === undefined && type === modernType ? 400 : 200;
    return sendResult(exchange, status, `${type}; charset=utf-8`, JSON.stringify(result));
  }

  async function answer(exchange: Exchange): Promise<void> {
    if (isUpload(exchange)) return answerUpload(exchange);
    const body = exchange.method === 'POST' ? await exchange.readBody() : undefined;
    const context = createContext(await identify(exchange), exchange.requestId, exchange);
    const known = body === undefined ? null : findKnown(exchange, body, executor, persisted);
    if (known === null) return useYoga(deps, exchange, body, context);
    const result = await known.prepared.execute(known.variables, context);
    // Without data nothing has run. Only the newer type of answer lets the status tell of that.
    const status = result.data === undefined && known.type === modernType ? 400 : 200;
    return sendResult(exchange, status, `${known.type}; charset=utf-8`, JSON.stringify(result));
  }

  return async (exchange) => {
    const isRead = exchange.method === 'GET' || exchange.method === 'HEAD';
    if (isRead && (exchange.header('accept') ?? '').includes('text/html')) return sendPage(exchange);
    try {
      await answer(exchange);
    } catch (error) {
      if (error instanceof ReplyError || exchange.outgoing.headersSent) throw error;
      const { message, extensions } = explain(error, exchange.requestId);
      const text = JSON.stringify({ errors: [{ message, extensions }] });
      await sendResult(exchange, 500, 'application/json; charset=utf-8', text);
    }
  };
}

type PreparedNew = ReturnType<Executor['prepare']>;

/** A document that is seen for the first time, or what keeps it from running. */
function prepareNew(
  executor: Executor,
  query: string,
  operationName: string | undefined,
): NonNullable<PreparedNew> | Readonly<{ data?: undefined; errors: readonly unknown[] }> {
  try {
    const document = executor.parse(query);
    const errors = executor.check(document);
    if (errors.length > 0) return { errors: errors.map(coded) };
    const prepared = executor.prepare(query, document, operationName);
    return prepared ?? { errors: [{ message: 'The request names no query and no mutation', extensions: invalid }] };
  } catch (error) {
    return { errors: [coded(error as GraphQLError)] };
  }
}

const invalid = { code: 'invalid_argument' };

function coded({ message, locations, extensions }: GraphQLError): unknown {
  return { message, locations, extensions: { ...invalid, ...extensions } };
}

type Known = Readonly<{ prepared: NonNullable<ReturnType<Executor['find']>>; variables: Variables; type: string }>;

/** The compiled document that a well-formed request of the common kind names, or null. */
function findKnown(
  request: RestRequest,
  body: Buffer,
  executor: Executor,
  persisted: PersistedDocuments,
): Known | null {
  const type = answerType(request.header('accept'));
  if (type === null || !/^application\/json\b/i.test(request.header('content-type') ?? '')) return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString());
  } catch {
    return null; // Yoga words the complaint.
  }
  if (typeof parsed !== 'object' || parsed === null) return null;
  const { query: sent, variables = {}, operationName, extensions } = parsed as Record<string, unknown>;
  // With both a document and its digest it is Yoga's, which compares them.
  const query = extensions === undefined ? sent : sent === undefined ? persisted.textOf(extensions) : undefined;
  const hasPlainVariables = variables === null || (typeof variables === 'object' && !Array.isArray(variables));
  const hasPlainName = operationName === undefined || operationName === null || typeof operationName === 'string';
  if (typeof query !== 'string' || !hasPlainVariables || !hasPlainName) return null;
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
  { yoga, live }: GraphQLEndpointDeps,
  exchange: Exchange,
  body: Buffer | undefined,
  context: Context,
): Promise<void> {
  const headers = new Headers();
  for (const name of ['accept', 'content-type']) {
    const value = exchange.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  const url = new URL(exchange.target, 'http://localhost');
  const method = exchange.method === 'HEAD' ? 'GET' : exchange.method;
  const init = { method, headers, ...(body && { body: new Uint8Array(body) }) };
  const answer = await yoga(new Request(url, init), context);
  const type = answer.headers.get('content-type') ?? '';
  // Type and length are said anew where the text is written.
  const others = Object.fromEntries([...answer.headers].filter(([name]) => !/^content-(?:type|length)$/i.test(name)));
  if (/\bjson\b/.test(type)) return sendResult(exchange, answer.status, type, await answer.text(), others);
  const lines = [...exchange.headers(), ...[...answer.headers].flat()];
  // Yoga's stream is a ponyfill that Readable.fromWeb does not accept, but it can be iterated.
  const content = answer.body as unknown as AsyncIterable<Uint8Array> | null;
  if (content !== null && type.startsWith('text/event-stream')) {
    const source = content[Symbol.asyncIterator]();
    // Of Yoga's headers these are for other servers; `Content-Encoding: none` is no encoding.
    const own = [...answer.headers].filter(([name]) => name !== 'content-encoding' && name !== 'connection');
    return live.stream(exchange, answer.status, [...exchange.headers(), ...own.flat()], {
      source,
      write: (bytes) => bytes,
    });
  }
  const outgoing = exchange.startReply(answer.status, lines);
  if (content === null || exchange.method === 'HEAD') outgoing.end();
  else await pipeline(Readable.from(content), outgoing);
}

/** A result; 503 when a service behind this one is away and there is therefore nothing in it. */
function sendResult(
  exchange: Exchange,
  status: number,
  type: string,
  text: string,
  headers?: Readonly<Record<string, string>>,
): Promise<void> | void {
  if (!text.includes('"unavailable"') || !isUnavailable(text))
    return sendText(exchange, { status, type, text, headers });
  return sendText(exchange, { status: 503, type, text, headers: { ...headers, 'Retry-After': '5' } });
}

function isUnavailable(text: string): boolean {
  const { data, errors } = JSON.parse(text) as { data?: object | null; errors?: { extensions?: { code?: string } }[] };
  const isEmpty = Object.values(data ?? {}).every((value) => value === null);
  return isEmpty && (errors ?? []).some(({ extensions }) => extensions?.code === 'unavailable');
}

function unauthenticated(): ReplyError {
  const error = { message: 'Not authenticated', extensions: { code: 'unauthenticated' } };
  return new ReplyError({ status: 401, body: { errors: [error] }, headers: { 'WWW-Authenticate': 'APIKey' } });
}

function invalidKey(): ReplyError {
  const error = { message: 'Invalid API key', extensions: { code: 'invalid_key' } };
  return new ReplyError({ status: 401, body: { errors: [error] }, headers: { 'WWW-Authenticate': 'APIKey' } });
}
