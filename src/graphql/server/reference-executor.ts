import {
  defaultFieldResolver,
  execute,
  extendSchema,
  getNamedType,
  getNullableType,
  isIntrospectionType,
  isLeafType,
  isListType,
  isObjectType,
  parse,
  subscribe,
} from 'graphql';
import type { ExecutionArgs, ExecutionResult, GraphQLFieldResolver, GraphQLOutputType, GraphQLSchema } from 'graphql';

type Resolver = GraphQLFieldResolver<unknown, unknown>;

/** The arguments of an execution, without the schema. */
export type ReferenceArgs = Readonly<Omit<ExecutionArgs, 'schema'>>;

/** The executor of graphql-js, for subscriptions and for documents that are beyond the compiler. */
export type ReferenceExecutor = Readonly<{
  execute(args: ReferenceArgs): ReturnType<typeof execute>;
  subscribe(args: ReferenceArgs): Promise<AsyncGenerator<ExecutionResult, void, void> | ExecutionResult>;
}>;

/** Creates the reference executor; its first use copies the schema, which takes some milliseconds. */
export function createReferenceExecutor(original: GraphQLSchema): ReferenceExecutor {
  let copied: GraphQLSchema | undefined;
  const schema = () => (copied ??= withPromisedLists(original));
  return {
    execute: (args) => execute({ ...args, schema: schema() }),
    subscribe: (args) => subscribe({ ...args, schema: schema() }),
  };
}

/** An extension that adds nothing: graphql-js copies every type of a schema that it extends. */
const nothing = parse('extend schema @deprecated');

/**
 * Returns a copy of a schema in which every list of objects is a list of promises.
 *
 * When completing an item of a list fails at once, graphql-js 16 (`completeListValue`) forgets the items before it that are
 * still pending. If such an item fails later, its rejection is unhandled and ends the process. An item that is a promise
 * never fails at once.
 */
function withPromisedLists(schema: GraphQLSchema): GraphQLSchema {
  const copy = extendSchema(schema, nothing, { assumeValid: true });
  for (const type of Object.values(copy.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (isListOfObjects(field.type)) field.resolve = withPromisedItems(field.resolve ?? defaultFieldResolver);
    }
  }
  return copy;
}

function isListOfObjects(type: GraphQLOutputType): boolean {
  return isListType(getNullableType(type)) && !isLeafType(getNamedType(type));
}

function withPromisedItems(resolve: Resolver): Resolver {
  return async (source, args, context, info) => promisedItems(await resolve(source, args, context, info));
}

function promisedItems(value: unknown): unknown {
  return isIterable(value) ? Array.from(value, async (item) => promisedItems(await item)) : value;
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}
