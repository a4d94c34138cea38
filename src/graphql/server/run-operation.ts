import type { DocumentNode, ExecutionResult, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { RequestCache } from '@pothos/plugin-scope-auth';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { CompiledQuery } from 'graphql-jit';
import type { Answers } from '../../lib/answers.ts';
import { nextSlice } from '../../lib/time-slice.ts';
import type { Weight } from './check-document.ts';
import { acceptCoerced, createVariableCoercion } from './coerce-variables.ts';
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
import type { ReferenceExecutor } from './reference-executor.ts';
import type { createDeadlines } from './within-time.ts';

export type Variables = Readonly<Record<string, unknown>>;

/** What an operation shares with the others of a list: the time that is left, and the number of values in all replies. */
type ReplyShare = Readonly<{ ms: number; values: number }>;

const alone: ReplyShare = { ms: Infinity, values: 0 };

/** Runs an operation, with the errors that a client may see. */
export type RunOperation = (variables: Variables, context: Context, share?: ReplyShare) => Promise<ExecutionResult>;

type Operation = Readonly<{
  schema: GraphQLSchema;
  reference: ReferenceExecutor;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  kind: 'query' | 'mutation';
  weight: Weight;
  withinTime: ReturnType<typeof createDeadlines>;
  largeReplies: LargeReplies;
  answers: Answers;
}>;

/** Creates the function that runs an operation within its limits. */
export function createRun(parts: Operation): RunOperation {
  const { schema, operation, kind, weight, withinTime, largeReplies, answers } = parts;
  const start = createStart(parts);
  const coerce = createVariableCoercion(schema, operation);
  const isQuery = kind === 'query';
  return async (variables, context, { ms, values } = alone) => {
    const cost = weight.openCost === null ? weight.cost : weight.openCost(variables);
    if (cost > documentLimits.cost.max) return { errors: [limitError('cost', cost, operation)] };
    const { refused, variables: coerced } = await coerce(variables, context.viewer?.tenantId);
    if (refused !== undefined) return withClientErrors(refused, context.services, context.requestId);
    const release = await admit(largeReplies, context, { cost: Math.max(cost, values), isQuery });
    // Writes do not count: one whose caller waits would be waiting for itself.
    if (isQuery) answers.begin();
    try {
      const result = await withinTime(start(coerced, context), Math.min(executionMs[kind], ms));
      const isMeasured = isQuery && cost > unmeasuredCost;
      const reply = isMeasured ? withinLength(result, maxReplyCharacters) : result;
      return withClientErrors(reply, context.services, context.requestId);
    } finally {
      release();
      if (isQuery) answers.end();
      // A weak map in the old generation keeps whatever young keys refer to, here the whole request, until a full
      // collection.
      RequestCache.clearForContext(context);
    }
  };
}

/** Waits until a large reply may be built. Returns the function to call once it is built. */
async function admit(
  largeReplies: LargeReplies,
  context: Context,
  { cost, isQuery }: Readonly<{ cost: number; isQuery: boolean }>,
): Promise<() => void> {
  if (cost <= largeReplyCost) return () => {};
  await largeReplies.admit(context, cost);
  // A write may wait for minutes before there is a reply to build.
  if (!isQuery) return () => {};
  const release = await largeReplies.begin(context);
  // Built in one go if it needs no database, as for introspection.
  await nextSlice(context.viewer?.tenantId);
  return release;
}

/**
 * Creates the function that starts an operation. The first call compiles it: a service that starts knows many documents,
 * most of which are not requested soon.
 */
function createStart({ schema, reference, document, operation, weight }: Operation) {
  const operationName = operation.name?.value;
  let compiled: CompiledQuery | null | undefined;
  return (variables: Variables, context: Context) => {
    if (compiled === undefined) compiled = weight.isBeyondCompiler ? null : compile(schema, document, operationName);
    // A few documents are beyond the compiler; the reference executor runs them.
    return compiled === null
      ? reference.execute({ document, operationName, variableValues: variables, contextValue: context })
      : compiled.query(undefined, context, variables);
  };
}

/** Returns null for a document that the compiler refuses. */
function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): CompiledQuery | null {
  const accepting = acceptCoerced(schema, document);
  // Values of the built-in scalars come typed from the database; checking each again takes a tenth of the time of a large
  // page.
  const options = { disableLeafSerialization: true };
  const made = compileQuery(accepting.schema, accepting.document, operationName, options);
  return isCompiledQuery(made) ? made : null;
}
