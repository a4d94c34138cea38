import type { GraphQLSchema } from 'graphql';
import type { ApiRequest, Reply } from './http-contract.ts';

/** An error as the execution of a document reports it. */
export type ExecutionError = Readonly<{ message: string; extensions?: Readonly<Record<string, unknown>> | undefined }>;

/** The result of executing a document. */
export type ExecutionResult = Readonly<{
  data?: Readonly<Record<string, unknown>> | null | undefined;
  errors?: readonly ExecutionError[] | undefined;
}>;

/** A compiled document. */
export type Document<Context> = Readonly<{
  execute(variables: Readonly<Record<string, unknown>>, context: Context): Promise<ExecutionResult>;
}>;

/** The stream of results of a subscription, or a single result that says why there is no stream. */
type Subscribed = AsyncIterator<ExecutionResult> | ExecutionResult;

/** Starts a subscription of the schema. */
export type Subscription<Context> = (
  variables: Readonly<Record<string, unknown>>,
  context: Context,
) => Promise<Subscribed>;

/** What an API needs from the server: the API is a client of the schema and knows nothing else of it. */
export type ApiHost<Viewer, Context> = Readonly<{
  /** Compiles a document of the schema; a text that was compiled before costs nothing. */
  compile(document: string): Document<Context>;
  /** Compiles a subscription of the schema. */
  subscribe(document: string): Subscription<Context>;
  /** The viewer that a key belongs to; null if there is none. */
  authenticate(key: string, request: ApiRequest): Promise<Viewer | null> | Viewer | null;
  createContext(viewer: Viewer, requestId: string, request: ApiRequest): Context;
  /** Throws, as the schema would, if the viewer lacks the permission. */
  authorize(context: Context, scope: string): void;
  /** Whether a search formula may ask for similarity, so that the answer needs a field for it. */
  mayAskSimilarity(formula: string): boolean;
  /** The part of a failure that a client may see; the rest is written to the log. */
  explain(error: unknown, requestId: string): ExecutionError;
}>;

/** What an API may know about formulas, since it does not parse them itself. */
export type Formulas = Pick<ApiHost<never, never>, 'mayAskSimilarity'>;

/** Answers a request; null if its path does not belong to this API. */
export type ApiHandler = (request: ApiRequest, requestId: string) => Promise<Reply | null>;

/** An API next to GraphQL that is a client of the schema. */
export type HttpApi = Readonly<{
  /** Display name. */
  name: string;
  /** A path to start with. */
  firstPath: string;
  createHandler<Viewer, Context>(host: ApiHost<Viewer, Context>): ApiHandler;
  /** All methods of a target's path, as `Allow` lists them; null if the API has no such path. */
  allowOf(target: string): string | null;
  /** Its OpenAPI document. */
  buildOpenApi(options: Readonly<{ schema: GraphQLSchema }>): object;
  /** The `servers` of that document for the address from which it is read; null if the address is unknown. */
  serversOf(address: string | null): readonly object[];
}>;
