import type { ExecutionResult, GraphQLError } from 'graphql';
import { isObject } from '../../lib/is-object.ts';
import { ReplyError } from '../../lib/http-contract.ts';
import type { ApiRequest, Reply } from '../../lib/http-contract.ts';
import { acceptedTypes, notAcceptable } from './accepted-types.ts';
import type { AcceptedTypes } from './accepted-types.ts';
import { readGraphQLBody } from './body.ts';
import type { GraphQLBody } from './body.ts';
import { prepareBatch, runBatch } from './batch.ts';
import { documentLength, sliceForParsing } from './parsing-slice.ts';
import { prepare } from './prepare.ts';
import { isUpload, readUploadRequest } from './upload.ts';
import type { Context } from '../schema/context.ts';
import { withinLength } from '../schema/errors.ts';
import type { Executor } from './executor.ts';
import type { Variables } from './run-operation.ts';
import { maxStreamedCharacters } from './limits.ts';
import type { PersistedDocuments } from './persisted-documents.ts';
import type { Yoga } from './yoga.ts';
import type { Exchange } from '../../http/exchange.ts';
import {
  contentTypeOf,
  graphqlRefusal,
  graphqlTypeOf,
  modernType,
  olderType,
} from '../../http/reply/graphql-refusal.ts';
import type { GraphQLType } from '../../http/reply/graphql-refusal.ts';
import type { SendPage } from '../../http/reply/page.ts';
import { endReply, sendJson } from '../../http/reply/send.ts';
import type { Viewer } from '../../tenants/index.ts';

type GraphQLEndpointDeps = Readonly<{
  executor: Executor;
  persisted: PersistedDocuments;
  yoga: Yoga;
  /** Replies with a stream of events. */
  sendStream(exchange: Exchange, reply: Reply): Promise<void>;
  /** Returns the owner of the key of a request. */
  identify(key: string, exchange: Exchange): Promise<Viewer | null>;
  createContext(viewer: Viewer | null, requestId: string, request: ApiRequest): Context;
  /** Converts a failure to what clients may see. */
  explain(error: unknown, requestId: string): GraphQLError;
  sendPage: SendPage;
}>;

type GraphQLEndpoint = (exchange: Exchange) => Promise<void>;

/**
 * Serves GraphQL over HTTP. A document that has run before goes straight to the compiled executor; Yoga handles new
 * documents, GET, and all errors.
 */
export function createGraphQLEndpoint(deps: GraphQLEndpointDeps): GraphQLEndpoint {
  const { executor, createContext, explain, sendPage } = deps;

  /** Identifies the caller before anything of a request is read or parsed. */
  async function identify(exchange: Exchange): Promise<Viewer> {
    const key = exchange.credential;
    if (key === undefined || key === '') throw unauthenticated();
    const viewer = await deps.identify(key, exchange);
    if (viewer === null) throw invalidKey();
    return viewer;
  }

  /** Bypasses Yoga: the document runs on the same executor while its files are still arriving. */
  async function answerUpload(exchange: Exchange, viewer: Viewer): Promise<void> {
    const { query, operationName, variables, arrived } = await readUploadRequest(exchange);
    const prepared = await prepare(executor, viewer.tenantId, query, operationName);
    const context = createContext(viewer, exchange.requestId, exchange);
    const running = 'errors' in prepared ? prepared : prepared.execute(variables, context);
    const [result] = await Promise.all([running, arrived]);
    const type = graphqlTypeOf(exchange.header('accept')) ?? olderType;
    return sendResult(exchange, statusOf(result, type), contentTypeOf(type), result);
  }

  async function answerBatch(exchange: Exchange, viewer: Viewer, list: readonly unknown[]): Promise<void> {
    const prepared = await prepareBatch(list, viewer.tenantId, deps);
    const results = await runBatch(prepared, () => createContext(viewer, exchange.requestId, exchange));
    const type = graphqlTypeOf(exchange.header('accept')) ?? olderType;
    // As for a single document, the status of the newer media type reports that nothing was executed.
    const status = results.every(({ data }) => data === undefined) ? statusOf({}, type) : 200;
    return sendResult(exchange, status, contentTypeOf(type), results);
  }

  async function answer(exchange: Exchange): Promise<void> {
    const viewer = await identify(exchange);
    if (isUpload(exchange)) return answerUpload(exchange, viewer);
    const body = exchange.method === 'POST' ? await readGraphQLBody(exchange) : null;
    const list = body?.text === undefined ? body?.json : null;
    if (Array.isArray(list)) return answerBatch(exchange, viewer, list);
    const context = createContext(viewer, exchange.requestId, exchange);
    const accepted = acceptedTypes(exchange.header('accept'));
    const known = body === null ? null : findKnown(body, accepted, { ...deps, tenantId: viewer.tenantId });
    if (known === null) {
      await sliceForParsing(viewer.tenantId, body === null ? exchange.target.length : sizeOf(body));
      return useYoga(deps, exchange, { body, accepted, context });
    }
    const result = await known.prepared.execute(known.variables, context);
    return sendResult(exchange, statusOf(result, known.type), contentTypeOf(known.type), result);
  }

  return async (exchange) => {
    const isRead = exchange.method === 'GET' || exchange.method === 'HEAD';
    if (isRead && (exchange.header('accept') ?? '').includes('text/html')) return sendPage(exchange);
    try {
      await answer(exchange);
    } catch (error) {
      if (error instanceof ReplyError || exchange.outgoing.headersSent) throw error;
      throw new ReplyError(graphqlRefusal(explain(error, exchange.requestId)));
    }
  };
}

const sizeOf = (body: GraphQLBody): number => (body.text === undefined ? documentLength(body.json) : body.text.length);

type Known = Readonly<{ prepared: NonNullable<ReturnType<Executor['find']>>; variables: Variables; type: GraphQLType }>;

/** Returns the compiled document that a well-formed request of the common kind names, or null. */
function findKnown(
  body: GraphQLBody,
  { type }: AcceptedTypes,
  {
    executor,
    persisted,
    tenantId,
  }: Pick<GraphQLEndpointDeps, 'executor' | 'persisted'> & Readonly<{ tenantId: number }>,
): Known | null {
  if (type === null || body.text !== undefined || !isObject(body.json)) return null;
  const { query: sent, variables, operationName, extensions } = body.json;
  // A request with both a document and its digest goes to Yoga, which compares them.
  if (sent !== undefined && extensions !== undefined) return null;
  const query = extensions === undefined ? sent : persisted.textOf(tenantId, extensions);
  if (typeof query !== 'string' || !isAbsentOr(isObject, variables) || !isAbsentOr(isText, operationName)) return null;
  const prepared = executor.find(query, operationName ?? undefined);
  return prepared === undefined ? null : { prepared, variables: variables ?? {}, type };
}

const isText = (value: unknown): value is string => typeof value === 'string';

function isAbsentOr<T>(is: (value: unknown) => value is T, value: unknown): value is T | null | undefined {
  return value === undefined || value === null || is(value);
}

/**
 * Returns the HTTP status: without data, nothing was executed. Only the newer media type allows an error status for that.
 */
function statusOf({ data }: Result, type: GraphQLType): number {
  return data === undefined && type === modernType ? 400 : 200;
}

type Asked = Readonly<{ body: GraphQLBody | null; accepted: AcceptedTypes; context: Context }>;

async function useYoga(
  { yoga, sendStream }: GraphQLEndpointDeps,
  exchange: Exchange,
  { body, accepted, context }: Asked,
): Promise<void> {
  const headers = new Headers();
  const sent = { accept: accepted.ranges, 'content-type': exchange.header('content-type') };
  for (const [name, value] of Object.entries(sent)) if (value !== undefined) headers.set(name, value);
  const url = new URL(exchange.target, 'http://localhost');
  const method = exchange.method === 'HEAD' ? 'GET' : exchange.method;
  const init = { method, headers, ...(body?.text !== undefined && { body: body.text }) };
  const request = new Request(url, init);
  if (body !== null && body.text === undefined) request.json = async () => body.json;
  const { response, results, large } = await yoga(request, context);
  const type = response.headers.get('content-type') ?? '';
  if (response.status === 406) throw notAcceptable('A subscription is answered with events');
  if (results !== null) return sendStream(exchange, toStream(response.status, type, results));
  // Type and length are set again when the text is written.
  const others = Object.fromEntries([...response.headers].filter(([name]) => isSaid(name)));
  if (large !== null) return sendResult(exchange, response.status, type, withoutStatus(large), others);
  const text = await response.text();
  if (text !== '') return sendResult(exchange, response.status, type, JSON.parse(text), others);
  endReply(exchange, response.status, [...exchange.headers(), ...Object.entries(others).flat()], undefined);
}

/**
 * Whether a header of Yoga's response is passed on. The others are meant for other servers, or are set again when a
 * reply is written; `Content-Encoding: none` is not a valid encoding.
 */
function isSaid(name: string): boolean {
  return !/^(?:connection|content-encoding|content-length|content-type|transfer-encoding)$/i.test(name);
}

const keyIsInvalid = { message: 'Invalid API key', extensions: { code: 'invalid_key' } };
const complete = 'event: complete\ndata:\n\n';

/** Returns results as events of the graphql-sse protocol, in distinct connections mode. */
function toStream(status: number, type: string, source: AsyncIterator<ExecutionResult>): Reply {
  const stream = {
    source,
    // Some browsers report the reply to scripts only after the first byte.
    preamble: ':\n\n',
    heartbeat: ':\n\n',
    write: (result: unknown) => {
      const short = withinLength(result as ExecutionResult, maxStreamedCharacters);
      return `event: next\ndata: ${JSON.stringify(withoutStatus(short))}\n\n`;
    },
    epilogue: complete,
    invalidKey: `event: next\ndata: ${JSON.stringify({ errors: [keyIsInvalid] })}\n\n${complete}`,
  };
  return { status, headers: { 'Content-Type': type }, stream };
}

/** Removes the extension in which errors pass the status of the reply to Yoga; nothing else uses it. */
function withoutStatus(result: ExecutionResult): Result {
  const errors = result.errors?.map((error) => {
    const { extensions: { http: _, ...extensions } = {}, ...rest } = error.toJSON();
    return Object.keys(extensions).length === 0 ? rest : { ...rest, extensions };
  });
  return errors === undefined ? result : { ...result, errors };
}

/** Sends a result; with 503 if it is empty because a backing service is unavailable. */
function sendResult(
  exchange: Exchange,
  status: number,
  type: string,
  value: Result | readonly Result[],
  headers?: Readonly<Record<string, string>>,
): Promise<void> | void {
  const content = { type, value, write: JSON.stringify };
  const hasNoService = 'every' in value ? value.every(isUnavailable) : isUnavailable(value);
  if (!hasNoService) return sendJson(exchange, { ...content, status, headers });
  return sendJson(exchange, { ...content, status: 503, headers: { ...headers, 'Retry-After': '5' } });
}

/** The parts of a result that are used here. */
type Result = Readonly<{
  data?: object | null | undefined;
  errors?:
    readonly Readonly<{ message: string; extensions?: Readonly<Record<string, unknown>> | undefined }>[] | undefined;
}>;

function isUnavailable({ data, errors }: Result): boolean {
  if (errors === undefined || errors.every(({ extensions }) => extensions?.['code'] !== 'unavailable')) return false;
  return Object.values(data ?? {}).every((value) => value === null);
}

function unauthenticated(): ReplyError {
  return new ReplyError(graphqlRefusal({ message: 'Not authenticated', extensions: { code: 'unauthenticated' } }));
}

function invalidKey(): ReplyError {
  return new ReplyError(graphqlRefusal(keyIsInvalid));
}
