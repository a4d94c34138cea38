import { getOperationAST } from 'graphql';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { Answers } from '../../lib/answers.ts';
import { counter } from '../../observability/metrics/index.ts';
import { weigh } from './check-document.ts';
import type { Context } from '../schema/context.ts';
import type { LargeReplies } from './large-replies.ts';
import { documentLimits } from './limits.ts';
import type { DocumentSize } from './limits.ts';
import { measureText } from './parse-document.ts';
import { createDocumentReader } from './read-document.ts';
import type { DocumentReader } from './read-document.ts';
import { createReferenceExecutor } from './reference-executor.ts';
import { createRun } from './run-operation.ts';
import type { RunOperation, Variables } from './run-operation.ts';
import { beginSubscription } from './subscription.ts';
import type { SubscriptionStart } from './subscription.ts';
import { createDeadlines } from './within-time.ts';

/** Limits of the cache of compiled documents: their number, and roughly their memory in bytes. */
const cacheLimits = { max: 1000, maxSize: 100_000_000 } as const;
/** Bytes of nodes, code and closures per selection (measured). */
const bytesOfSelection = 2_000;

const hits = counter('cache_lookups_total', { cache: 'documents', result: 'hit' });
const misses = counter('cache_lookups_total', { cache: 'documents', result: 'miss' });

/** A parsed and valid document; its first run compiles it. */
export type PreparedDocument = Readonly<{
  kind: 'query' | 'mutation';
  /** The measures that are added up for the documents of a list. */
  size: DocumentSize;
  /** Returns the maximum number of values in its reply. */
  costOf(variables: Variables): number;
  execute: RunOperation;
}>;

export type Executor = DocumentReader &
  Readonly<{
    schema: GraphQLSchema;
    /** Returns the compiled form of a text that was seen before. */
    find(text: string, operationName?: string): PreparedDocument | undefined;
    /** Compiles a document that is known to be valid. Returns null for subscriptions, which are not compiled. */
    prepare(text: string, document: DocumentNode, operationName?: string): PreparedDocument | null;
    /** Parses, checks and compiles. @throws GraphQLError for the first fault. */
    compile(text: string): PreparedDocument;
    /** Starts a subscription of a document that is known to be valid. */
    subscribe(
      document: DocumentNode,
      variables: Variables,
      context: Context,
      operationName?: string,
    ): SubscriptionStart;
  }>;

/**
 * Creates the executor that all interfaces share: graphql-jit compiles each document once, so that running one costs little
 * more than calling its resolvers.
 *
 * @param answers counts the queries that run.
 */
export function createExecutor(schema: GraphQLSchema, replies: LargeReplies, answers = new Answers()): Executor {
  const cache = new LRUCache<string, PreparedDocument>(cacheLimits);
  const reader = createDocumentReader(schema);
  const reference = createReferenceExecutor(schema);
  const withinTime = createDeadlines();
  const keyOf = (text: string, operationName = '') => `${operationName}\n${text}`;

  function prepare(text: string, document: DocumentNode, operationName?: string): PreparedDocument | null {
    const key = keyOf(text, operationName);
    const known = cache.get(key);
    if (known !== undefined) return known;
    const operation = getOperationAST(document, operationName);
    if (operation === null || operation === undefined || operation.operation === 'subscription') return null;
    const weight = weigh(schema, document, operation);
    const execute = createRun({
      schema,
      reference,
      document,
      operation,
      weight,
      kind: operation.operation,
      withinTime,
      largeReplies: replies,
      answers,
    });
    const { tokens, directives } = measureText(text);
    const { shape, cost, openCost } = weight;
    const size = { length: text.length, tokens, directives, ...shape };
    const prepared = { kind: operation.operation, size, costOf: openCost ?? (() => cost), execute };
    cache.set(key, prepared, { size: key.length + 1 + shape.selections * bytesOfSelection });
    return prepared;
  }

  return {
    schema,
    prepare,
    ...reader,
    subscribe: (document, variables, context, operationName) =>
      beginSubscription(reference, { document, operationName, variableValues: variables, contextValue: context }),
    // A lookup reads the whole text, and a text that is too long is never in the cache.
    find(text, operationName) {
      const found = text.length > documentLimits.length.max ? undefined : cache.get(keyOf(text, operationName));
      (found === undefined ? misses : hits).add();
      return found;
    },
    compile(text) {
      const known = cache.get(keyOf(text));
      if (known !== undefined) return known;
      const document = reader.parse(text);
      const [fault] = reader.check(document);
      if (fault !== undefined) throw fault;
      const prepared = prepare(text, document);
      if (prepared === null) throw new Error('only queries and mutations can be compiled');
      return prepared;
    },
  };
}
