import { GraphQLError } from 'graphql';
import type { ExecutionResult } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { Plugin } from 'graphql-yoga';
import { excerpt } from '../../lib/excerpt.ts';
import { isLargeJson } from '../../lib/json-pieces.ts';
import { mapIterator } from '../../lib/map-iterator.ts';
import type { Context } from '../schema/context.ts';
import { noOperation } from './check-operation.ts';
import type { Executor } from './executor.ts';
import type { PersistedDocuments } from './persisted-documents.ts';

/**
 * The answer to a request. `results` replaces the body if the client requested a stream of events, `large` if the result is
 * too long to be written at once.
 */
type YogaAnswer = Readonly<{
  response: Response;
  results: AsyncIterator<ExecutionResult> | null;
  large: ExecutionResult | null;
}>;

export type Yoga = (request: Request, context: Context) => Promise<YogaAnswer>;

/** State of one request in Yoga: its context, and the result in addition to the response. */
type Running = { readonly context: Context; result: Result | null; isLarge: boolean };
type Result = ExecutionResult | AsyncIterable<ExecutionResult>;
type ServerContext = Readonly<{ context: Context; running: Running }>;

/** Yoga implements GraphQL over HTTP; documents are checked by our limits and run on our compiled executor. */
export function createGraphQLHandler(
  executor: Executor,
  persisted: PersistedDocuments,
  explain: (error: unknown, requestId: string) => GraphQLError,
): Yoga {
  const explained = (result: ExecutionResult, requestId: string) => withExplained(result, (e) => explain(e, requestId));
  const yoga = createYoga<ServerContext>({
    schema: executor.schema,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    graphiql: false,
    multipart: false,
    cors: false,
    logging: false,
    batching: false,
    maxRequestBodySize: false, // The server has read the body, within its own limit.
    parserAndValidationCache: false, // Our cache keeps documents that run; refused ones need no memory.
    context: ({ context }) => context,
    // Resolver errors are masked when documents run; these are Yoga's own. Their request is known only with the result.
    maskedErrors: { maskError: (error) => new Unexplained(error) },
    plugins: [
      useFaultsOfForm(),
      usePersisted(persisted),
      useLimits(executor),
      useCompiledExecutor(executor),
      useResult(explained),
    ],
  });
  return async (request, context) => {
    const running: Running = { context, result: null, isLarge: false };
    const response = await yoga.fetch(request, { context, running });
    const isStream = (response.headers.get('content-type') ?? '').startsWith('text/event-stream');
    const { result } = running;
    const large = running.isLarge && !isStream ? (result as ExecutionResult) : null;
    // Nobody reads the events of a subscription that is refused.
    if (!isStream && result !== null && Symbol.asyncIterator in result) await result[Symbol.asyncIterator]().return?.();
    if (!isStream || result === null) return { response, results: null, large };
    return { response, results: mapIterator(resultsOf(result), (each) => explained(each, context.requestId)), large };
  };
}

/** An error from Yoga, until the request that it belongs to is known. */
class Unexplained extends GraphQLError {
  readonly error: unknown;

  constructor(error: unknown) {
    super('Unexpected error', { extensions: { code: 'internal' } });
    this.error = error;
  }
}

function withExplained(result: ExecutionResult, explain: (error: unknown) => GraphQLError): ExecutionResult {
  if (result.errors?.some((each) => each instanceof Unexplained) !== true) return result;
  const errors = result.errors.map((each) => (each instanceof Unexplained ? withStatus(explain(each.error)) : each));
  return { ...result, errors };
}

/**
 * Keeps the result in addition to the response that Yoga creates. Yoga's own stream cannot be ended before it has started,
 * so streams of events are written by us; Yoga's is never read and holds nothing. For a large result, Yoga creates only the
 * head.
 */
function useResult(
  explained: (result: ExecutionResult, requestId: string) => ExecutionResult,
): Plugin<object, ServerContext> {
  return {
    onResultProcess({ result, setResult, serverContext: { context, running } }) {
      if (Symbol.asyncIterator in result) return void (running.result = result);
      // Batches do not get here, so there is one result.
      const own = explained(result as ExecutionResult, context.requestId);
      running.result = own;
      running.isLarge = isLargeJson(own);
      setResult(running.isLarge ? { ...own, data: {} } : own);
    },
  };
}

function resultsOf(result: Result): AsyncIterator<ExecutionResult> {
  return Symbol.asyncIterator in result ? result[Symbol.asyncIterator]() : only(result);
}

async function* only<T>(value: T): AsyncGenerator<T, undefined> {
  yield value;
}

/**
 * Gives a request that is not a GraphQL request status 400 in either media type, with our own code; Yoga would reply with
 * 200 in the older type.
 */
function withStatus(error: GraphQLError): GraphQLError {
  const { code, http } = error.extensions as {
    code?: unknown;
    http?: { status?: number; headers?: Record<string, string> };
  };
  if (code === 'OPERATION_RESOLUTION_FAILURE') return withHttp(noOperation(), 400);
  if (code !== 'BAD_REQUEST') return error;
  const hint = 'Send {"query": …} by POST, and variables as an object';
  const { status = 400, headers = {} } = http ?? {};
  return new GraphQLError(excerpt(error.message), {
    extensions: { code: 'invalid_argument', hint, http: { status, headers } },
  });
}

/**
 * Reports content types that Yoga does not read (it would reply without a body), and parameters that are not JSON (it
 * would report an internal error).
 */
function useFaultsOfForm(): Plugin {
  return {
    onRequestParse({ requestParser, setRequestParser }) {
      setRequestParser(async (request) => {
        if (requestParser === undefined) throw withHttp(unreadType(), 415);
        try {
          return await requestParser(request);
        } catch (error) {
          throw error instanceof SyntaxError ? withHttp(noJson(), 400) : error;
        }
      });
    },
  };
}

function unreadType(): GraphQLError {
  const hint = 'Send {"query": …} with Content-Type: application/json';
  return new GraphQLError('The content type of the body is not supported', {
    extensions: { code: 'unsupported_media', hint },
  });
}

function noJson(): GraphQLError {
  const hint = 'Write them as JSON objects, percent-encoded';
  const extensions = { code: 'invalid_argument', argument: 'variables', hint };
  return new GraphQLError('variables or extensions are not JSON', { extensions });
}

function usePersisted(persisted: PersistedDocuments): Plugin {
  return {
    onParams({ params, setParams, context }) {
      const { viewer } = (context as unknown as { context: Context }).context;
      const { query, extensions } = params;
      if (extensions === undefined || extensions === null) return;
      const text = persisted.resolve({ tenantId: viewer?.tenantId ?? 0, query, extensions });
      if (text !== query) setParams({ ...params, query: text });
    },
  };
}

function useLimits(executor: Executor): Plugin {
  return {
    onParse({ setParseFn }) {
      setParseFn((source: unknown) => executor.parse(String(source)));
    },
    onValidate({ setValidationFn }) {
      setValidationFn((_schema, document) => executor.check(document));
    },
  };
}

function useCompiledExecutor(executor: Executor): Plugin {
  return {
    onExecute({ args, setExecuteFn }) {
      // Yoga adds the server's context to its own, which the plugin's type does not show.
      const { params, context } = args.contextValue as typeof args.contextValue & { context: Context };
      const prepared = executor.prepare(params.query ?? '', args.document, args.operationName ?? undefined);
      if (prepared === null) return;
      setExecuteFn(async ({ variableValues }) => withRefusal(await prepared.execute(variableValues ?? {}, context)));
    },
    onSubscribe({ args, setSubscribeFn }) {
      const { context } = args.contextValue as unknown as { context: Context };
      const { document, operationName } = args;
      setSubscribeFn(({ variableValues }) =>
        executor.subscribe(document, variableValues ?? {}, context, operationName ?? undefined),
      );
    },
  };
}

/** Without data, nothing was executed: the request was at fault, which the newer media type reports by its status. */
function withRefusal(result: ExecutionResult): ExecutionResult {
  if (result.data !== undefined || result.errors === undefined) return result;
  return { errors: result.errors.map((error) => withHttp(error, 400, { spec: true })) };
}

/** `spec` restricts the status to the newer media type. */
function withHttp(error: GraphQLError, status: number, spec: { spec?: true } = {}): GraphQLError {
  const { message, nodes, source, positions, path } = error;
  const extensions = { ...error.extensions, http: { status, ...spec } };
  return new GraphQLError(message, { nodes, source, positions, path, extensions });
}
