import { getOperationAST } from 'graphql';
import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import type { OperationDefinitionNode } from 'graphql';
import { RequestCache } from '@pothos/plugin-scope-auth';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { CompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import { Answers } from '../../lib/answers.ts';
import { nextSlice } from '../../lib/time-slice.ts';
import { counter } from '../../observability/metrics/index.ts';
import { weigh } from './check-document.ts';
import { acceptCoerced, createVariableCoercion } from './coerce-variables.ts';
import type { Weight } from './check-document.ts';
import type { Context } from '../schema/context.ts';
import { withClientErrors, withinLength } from '../schema/errors.ts';
import type { LargeReplies } from './large-replies.ts';
import {
  executionMs,
  largeReplyCost,
  limitError,
  documentLimits,
  maxReplyCharacters,
  unmeasuredCost,
} from './limits.ts';
import type { DocumentSize } from './limits.ts';
import { measureText } from './parse-document.ts';
import { createDocumentReader } from './read-document.ts';
import type { DocumentReader } from './read-document.ts';
import { createReferenceExecutor } from './reference-executor.ts';
import type { ReferenceExecutor } from './reference-executor.ts';
import { beginSubscription } from './subscription.ts';
import type { SubscriptionStart } from './subscription.ts';
import { createDeadlines } from './within-time.ts';

/** Limits of the cache of compiled documents: their number, and roughly their memory in bytes. */
const cacheLimits = { max: 1000, maxSize: 100_000_000 } as const;
/** Bytes of nodes, code and closures per selection (measured). */
const bytesOfSelection = 2_000;

const hits = counter('cache_lookups_total', { cache: 'documents', result: 'hit' });
const misses = counter('cache_lookups_total', { cache: 'documents', result: 'miss' });

export type Variables = Readonly<Record<string, unknown>>;

/** A parsed and valid document; its first run compiles it. */
export type PreparedDocument = Readonly<{
  kind: 'query' | 'mutation';
  /** The measures that are added up for the documents of a list. */
  size: DocumentSize;
  /** Returns the maximum number of values in its reply. */
  costOf(variables: Variables): number;
  execute(variables: Variables, context: Context, share?: ReplyShare): Promise<ExecutionResult>;
}>;

/** What an operation shares with the others of a list: the time that is left, and the number of values in all replies. */
type ReplyShare = Readonly<{ ms: number; values: number }>;

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
    const execute = run({
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

const alone: ReplyShare = { ms: Infinity, values: 0 };

type Operation = Readonly<{
  schema: GraphQLSchema;
  reference: ReferenceExecutor;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  kind: PreparedDocument['kind'];
  weight: Weight;
  withinTime: ReturnType<typeof createDeadlines>;
  largeReplies: LargeReplies;
  answers: Answers;
}>;

function run({
  schema,
  reference,
  document,
  operation,
  kind,
  weight,
  withinTime,
  largeReplies,
  answers,
}: Operation): PreparedDocument['execute'] {
  const operationName = operation.name?.value;
  const { openCost, isBeyondCompiler } = weight;
  let compiled: CompiledQuery | null | undefined;
  // Called by the first run: a service that starts knows many documents, most of which are not requested soon.
  const compile = () => {
    const accepting = acceptCoerced(schema, document);
    // Values of the built-in scalars come typed from the database; checking each again takes a tenth of the time of a large
    // page.
    const made = isBeyondCompiler
      ? null
      : compileQuery(accepting.schema, accepting.document, operationName, { disableLeafSerialization: true });
    return made !== null && isCompiledQuery(made) ? made : null;
  };
  const coerce = createVariableCoercion(schema, operation);
  return async (variables, context, { ms, values } = alone) => {
    const cost = openCost === null ? weight.cost : openCost(variables);
    if (cost > documentLimits.cost.max) return { errors: [limitError('cost', cost, operation)] };
    const { refused, variables: coerced } = await coerce(variables, context.viewer?.tenantId);
    if (refused !== undefined) return withClientErrors(refused, context.services, context.requestId);
    const valuesInAll = Math.max(cost, values);
    const isLarge = valuesInAll > largeReplyCost;
    if (isLarge) await largeReplies.admit(context, valuesInAll);
    // A write may wait for minutes before there is a reply to build.
    const made = isLarge && kind === 'query' ? await largeReplies.begin(context) : null;
    // It is built in one piece if it needs no database, as the description of the schema.
    if (made !== null) await nextSlice(context.viewer?.tenantId);
    // Writes do not count: one whose caller waits would wait for itself.
    if (kind === 'query') answers.begin();
    try {
      if (compiled === undefined) compiled = compile();
      const running =
        compiled !== null
          ? compiled.query(undefined, context, coerced)
          : // A few documents are beyond the compiler; the reference executor runs them.
            reference.execute({ document, operationName, variableValues: variables, contextValue: context });
      const result = await withinTime(running, Math.min(executionMs[kind], ms));
      const isMeasured = kind === 'query' && cost > unmeasuredCost;
      const reply = isMeasured ? withinLength(result, maxReplyCharacters) : result;
      return withClientErrors(reply, context.services, context.requestId);
    } finally {
      made?.();
      if (kind === 'query') answers.end();
      // A weak map in the old generation keeps what young keys refer to, here the whole request, until a full collection.
      RequestCache.clearForContext(context);
    }
  };
}
