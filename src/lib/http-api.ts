import type { GraphQLSchema } from 'graphql';
import type { ApiRequest, Reply } from './http-contract.ts';

/** An error as an execution of a document reports it. */
export type ExecutionError = Readonly<{ message: string; extensions?: Readonly<Record<string, unknown>> | undefined }>;

/** What the execution of a document came to. */
export type ExecutionResult = Readonly<{
  data?: Readonly<Record<string, unknown>> | null | undefined;
  errors?: readonly ExecutionError[] | undefined;
}>;

/** A compiled document. */
export type Document<Context> = Readonly<{
  execute(variables: Readonly<Record<string, unknown>>, context: Context): Promise<ExecutionResult>;
}>;

/** A stream of results of a subscription, or the one result that says why there is none. */
export type Subscribed = AsyncIterator<ExecutionResult> | ExecutionResult;

/** Begins a subscription of the schema. */
export type Subscription<Context> = (
  variables: Readonly<Record<string, unknown>>,
  context: Context,
) => Promise<Subscribed>;

/** What an API needs of the server: it is a client of the schema and knows nothing else. */
export type ApiHost<Viewer, Context> = Readonly<{
  /** Compiles a document of the schema; the same text costs nothing the second time. */
  compile(document: string): Document<Context>;
  /** Reads a subscription of the schema. */
  subscribe(document: string): Subscription<Context>;
  /** Whose key it is, and so whose request. */
  authenticate(key: string, request: ApiRequest): Promise<Viewer | null> | Viewer | null;
  createContext(viewer: Viewer, requestId: string, request: ApiRequest): Context;
  /** Throws, as the schema would, when the viewer has not the right. */
  authorize(context: Context, scope: string): void;
  /** Whether a search formula may ask for similarity, which an answer then has room for. */
  mayAskSimilarity(formula: string): boolean;
  /** What a client may see of a failure; anything else of it goes to the log. */
  explain(error: unknown, requestId: string): ExecutionError;
}>;

/** What an API may know of formulas, which it does not read. */
export type Formulas = Pick<ApiHost<never, never>, 'mayAskSimilarity'>;

/** Answers a request; null where its path is none of this API. */
export type ApiHandler = (request: ApiRequest, requestId: string) => Promise<Reply | null>;

/** An API beside GraphQL, a client of the schema. */
export type HttpApi = Readonly<{
  /** As people call it. */
  name: string;
  /** A path to begin with. */
  firstPath: string;
  createHandler<Viewer, Context>(host: ApiHost<Viewer, Context>): ApiHandler;
  /** Every method of a target's path, as `Allow` lists them; null where it has none. */
  allowOf(target: string): string | null;
  /** Its OpenAPI document. */
  buildOpenApi(options: Readonly<{ schema: GraphQLSchema }>): object;
  /** The `servers` of that document, for the address that it is read from; null where none is known. */
  serversOf(address: string | null): readonly object[];
}>;
