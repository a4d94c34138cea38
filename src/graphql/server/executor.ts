import { execute as runByReference, getOperationAST } from 'graphql';
import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import type { OperationDefinitionNode } from 'graphql';
import { RequestCache } from '@pothos/plugin-scope-auth';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { CompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import { Answers } from '../../lib/answers.ts';
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
import { beginSubscription } from './subscription.ts';
import type { SubscriptionStart } from './subscription.ts';
import { createDeadlines } from './within-time.ts';

/** Compiled documents that are kept, by number and by their memory in bytes, roughly. */
const cacheLimits = { max: 1000, maxSize: 100_000_000 } as const;
/** Nodes, code and closures that one selection becomes (measured). */
const bytesOfSelection = 2_000;

const hits = counter('cache_lookups_total', { cache: 'documents', result: 'hit' });
const misses = counter('cache_lookups_total', { cache: 'documents', result: 'miss' });

export type Variables = Readonly<Record<string, unknown>>;

/** A document that is parsed and valid; its first run compiles it. */
export type PreparedDocument = Readonly<{
  kind: 'query' | 'mutation';
  /** What counts together with other documents of a list. */
  size: DocumentSize;
  /** How many values its answer has at most. */
  costOf(variables: Variables): number;
  execute(variables: Variables, context: Context, share?: ReplyShare): Promise<ExecutionResult>;
}>;

/** What an operation of a list has, where it would have more alone: the time that is left, and the values of all replies. */
export type ReplyShare = Readonly<{ ms: number; values: number }>;

export type Executor = DocumentReader &
  Readonly<{
    schema: GraphQLSchema;
    /** The compiled form of a text that was seen before. */
    find(text: string, operationName?: string): PreparedDocument | undefined;
    /** Compiles a document that is known to be valid. Null for subscriptions, which are not compiled. */
    prepare(text: string, document: DocumentNode, operationName?: string): PreparedDocument | null;
    /** Parses, checks and compiles. @throws GraphQLError for the first fault. */
    compile(text: string): PreparedDocument;
    /** Begins a subscription of a document that is known to be valid. */
    subscribe(
      document: DocumentNode,
      variables: Variables,
      context: Context,
      operationName?: string,
    ): SubscriptionStart;
  }>;

/**
 * One executor for every face: documents are compiled once by graphql-jit, so that running one
 * costs little more than calling its resolvers.
 *
 * @param answers counts the queries that run.
 */
export function createExecutor(schema: GraphQLSchema, replies: LargeReplies, answers = new Answers()): Executor {
  const cache = new LRUCache<string, PreparedDocument>(cacheLimits);
  const reader = createDocumentReader(schema);
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
      beginSubscription({
        schema,
        document,
        operationName,
        variableValues: variables,
        contextValue: context,
      }),
    // Looking a text up reads all of it, and one that is too long is none of ours.
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
  // By the first run: a service that starts knows many documents, most of which nobody asks for soon.
  const compile = () => {
    const accepting = acceptCoerced(schema, document);
    // Values of the built-in scalars come typed from the database; checking each again is a tenth of a large page.
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
    // A write may wait for minutes before there is anything to make.
    const made = isLarge && kind === 'query' ? await largeReplies.begin(context) : null;
    // A write that is waited for would wait for itself.
    if (kind === 'query') answers.begin();
    try {
      if (compiled === undefined) compiled = compile();
      const running =
        compiled !== null
          ? compiled.query(undefined, context, coerced)
          : // A few documents are beyond the compiler; the reference executor runs them.
            runByReference({ schema, document, operationName, variableValues: variables, contextValue: context });
      const result = await withinTime(running, Math.min(executionMs[kind], ms));
      const isMeasured = kind === 'query' && cost > unmeasuredCost;
      const reply = isMeasured ? withinLength(result, maxReplyCharacters) : result;
      return withClientErrors(reply, context.services, context.requestId);
    } finally {
      made?.();
      if (kind === 'query') answers.end();
      // A weak map that has grown old keeps what young keys lead to until a full collection: the whole request.
      RequestCache.clearForContext(context);
    }
  };
}
