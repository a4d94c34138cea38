import { Readable } from 'node:stream';
import { GraphQLError } from 'graphql';
import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import type { ApiRequest } from '../lib/http-contract.ts';
import { checkOperation, sliceForParsing, withinLength } from '../graphql/index.ts';
import type { Context, Executor, SubscriptionStart, Variables } from '../graphql/index.ts';
import { liveLimits } from './limits.ts';
import type { Authenticator, Viewer } from '../tenants/index.ts';
import { EndableSource } from './endable-source.ts';

/** The sender of a document over a connection that stays open. */
type Sender = Readonly<{
  key: string;
  requestId: string;
  signal: AbortSignal;
  address: string | null;
  /** Calls `act` when the reply was sent, or its reader has disconnected. */
  whenSent(act: () => void): void;
}>;

/** Runs documents that arrive over a connection that stays open; each is checked like one over HTTP. */
export type RunDocument = Readonly<{
  prepare(payload: SubscribePayload, sender: Sender): Promise<ExecutionArgs | readonly GraphQLError[]>;
  execute(args: ExecutionArgs): Promise<ExecutionResult>;
  subscribe(args: ExecutionArgs): SubscriptionStart;
}>;

export type RunDocumentDeps = Readonly<{
  executor: Executor;
  authenticate: Authenticator['authenticate'];
  createContext(viewer: Viewer | null, requestId: string, request: ApiRequest): Context;
  /** Converts a failure to an error that clients may see. */
  explain(error: unknown, requestId: string): GraphQLError;
}>;

type Prepared = ExecutionArgs & Readonly<{ text: string; contextValue: Context; variableValues: Variables }>;

export function createRunDocument({ executor, authenticate, createContext, explain }: RunDocumentDeps): RunDocument {
  /** Parses a document. Long ones that have not run before, and so must be validated, take turns by tenant. */
  async function parse(
    text: string,
    operationName: string | undefined,
    { tenantId }: Viewer,
  ): Promise<ExecutionArgs['document']> {
    const isNew = executor.find(text, operationName) === undefined;
    if (isNew) await sliceForParsing(tenantId, text.length);
    const document = executor.parse(text);
    const [fault] = isNew ? executor.check(document) : [];
    if (fault !== undefined) throw fault;
    checkOperation(document, operationName);
    return document;
  }

  return {
    async prepare({ query: text, variables, operationName }, sender) {
      const { key, requestId } = sender;
      try {
        // The key may have changed since the connection was opened.
        const viewer = await authenticate(key);
        if (viewer === null) return [new GraphQLError('Invalid API key', { extensions: { code: 'invalid_key' } })];
        const prepared: Prepared = {
          schema: executor.schema,
          document: await parse(text, operationName ?? undefined, viewer),
          operationName,
          variableValues: variables ?? {},
          contextValue: createContext(viewer, requestId, requestOf(sender)),
          text,
        };
        return prepared;
      } catch (error) {
        return [explain(error, requestId)];
      }
    },
    async execute(args) {
      const { text, document, operationName, variableValues, contextValue } = args as Prepared;
      const prepared = executor.prepare(text, document, operationName ?? undefined);
      if (prepared === null) throw new Error('a subscription cannot be executed');
      return withinLength(await prepared.execute(variableValues, contextValue), liveLimits.resultCharacters);
    },
    async subscribe(args) {
      const { document, operationName, variableValues, contextValue } = args as Prepared;
      const begun = await executor.subscribe(document, variableValues, contextValue, operationName ?? undefined);
      // The protocol ends sources without awaiting the result.
      return Symbol.asyncIterator in begun ? new EndableSource(begun) : begun;
    },
  };
}

/** A document in a message has no headers and no body. */
function requestOf({ signal, address, whenSent }: Sender): ApiRequest {
  return {
    route: '/graphql',
    method: 'POST',
    target: '/graphql',
    header: () => undefined,
    credential: undefined,
    readBody: () => Promise.resolve(Buffer.alloc(0)),
    streamBody: () => Readable.from([]),
    readPieces: () => Promise.resolve(),
    signal,
    address,
    jsonLimits: { values: 0, valueBytes: 0 },
    setHeader: () => {},
    whenSent,
    bodyHandled: () => {}, // Messages are short.
  };
}
