import { execute, getOperationAST, Kind, parse, validate } from 'graphql';
import type { DocumentNode, ExecutionResult, GraphQLError, GraphQLSchema } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import type { Context } from './context.ts';
import { toClientError } from './errors.ts';
import { beginSubscription } from './subscription.ts';
import type { Subscribed } from './subscription.ts';

/** Compiled documents that are kept, by number and by the size of their texts. */
const cacheLimits = { max: 1000, maxSize: 8_000_000 } as const;

export type Variables = Readonly<Record<string, unknown>>;

/** A document that is parsed, valid and compiled. */
export type Prepared = Readonly<{
  kind: 'query' | 'mutation';
  execute(variables: Variables, context: Context): Promise<ExecutionResult>;
}>;

export type Executor = Readonly<{
  schema: GraphQLSchema;
  /** The compiled form of a text that was seen before. */
  find(text: string, operationName?: string): Prepared | undefined;
  /** @throws GraphQLError for a text that is no document. */
  parse(text: string): DocumentNode;
  /** What keeps a document from running. */
  check(document: DocumentNode): readonly GraphQLError[];
  /** Compiles a document that is known to be valid. Null for subscriptions, which are not cached. */
  prepare(text: string, document: DocumentNode, operationName?: string): Prepared | null;
  /** Parses, validates and compiles. @throws GraphQLError for the first fault. */
  compile(text: string): Prepared;
  /** Begins a subscription of a document that is known to be valid. */
  subscribe(document: DocumentNode, variables: Variables, context: Context, operationName?: string): Subscribed;
}>;

/**
 * One executor for every face: documents are compiled once by graphql-jit, so that running one
 * costs little more than calling its resolvers.
 */
export function createExecutor(schema: GraphQLSchema): Executor {
  const cache = new LRUCache<string, Prepared>({ ...cacheLimits, sizeCalculation: (_, key) => key.length + 1 });
  const keyOf = (text: string, operationName = '') => `${operationName}\n${text}`;

  function prepare(text: string, document: DocumentNode, operationName?: string): Prepared | null {
    const key = keyOf(text, operationName);
    const known = cache.get(key);
    if (known !== undefined) return known;
    const operation = getOperationAST(document, operationName);
    if (operation === null || operation === undefined || operation.operation === 'subscription') return null;
    const prepared = { kind: operation.operation, execute: run(schema, document, operationName) };
    cache.set(key, prepared);
    return prepared;
  }

  return {
    schema,
    parse,
    check: (document) => validate(schema, document),
    prepare,
    subscribe: (document, variables, context, operationName) =>
      beginSubscription({
        schema,
        document,
        operationName,
        variableValues: variables,
        contextValue: context,
      }),
    find: (text, operationName) => cache.get(keyOf(text, operationName)),
    compile(text) {
      const document = parse(text);
      const [fault] = validate(schema, document);
      if (fault !== undefined) throw fault;
      const prepared = prepare(text, document);
      if (prepared === null) throw new Error('only queries and mutations can be compiled');
      return prepared;
    },
  };
}

function run(schema: GraphQLSchema, document: DocumentNode, operationName?: string): Prepared['execute'] {
  // Values of the built-in scalars come typed from the database; checking each again is a tenth of a large page.
  const compiled = isBeyondCompiler(document, operationName)
    ? null
    : compileQuery(schema, document, operationName, { disableLeafSerialization: true });
  return async (variables, context) => {
    const result =
      compiled !== null && isCompiledQuery(compiled)
        ? await compiled.query(undefined, context, variables)
        : // A few documents are beyond the compiler; the reference executor runs them.
          await execute({ schema, document, operationName, variableValues: variables, contextValue: context });
    return result.errors === undefined ? result : { ...result, errors: mask(result.errors, context) };
  };
}

/** The compiler takes a variable such as `$limit: Int! = 50` for one that must be given. */
function isBeyondCompiler(document: DocumentNode, operationName: string | undefined): boolean {
  const { variableDefinitions = [] } = getOperationAST(document, operationName) ?? {};
  return variableDefinitions.some(
    ({ type, defaultValue }) => type.kind === Kind.NON_NULL_TYPE && defaultValue !== undefined,
  );
}

function mask(errors: readonly GraphQLError[], { services, requestId }: Context): GraphQLError[] {
  return errors.map((error) => toClientError(error, services.logger, requestId));
}
