import type { GraphQLError } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { Plugin, YogaServerInstance } from 'graphql-yoga';
import type { Logger } from '../logger.ts';
import type { Context } from './context.ts';
import { toClientError } from './errors.ts';
import type { Executor } from './executor.ts';

export type Yoga = YogaServerInstance<{ context: Context }, object>;

/** Yoga speaks GraphQL over HTTP; documents run on our compiled executor. */
export function createGraphQLHandler(executor: Executor, logger: Logger): Yoga {
  return createYoga<{ context: Context }>({
    schema: executor.schema,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    graphiql: false,
    multipart: false,
    cors: false,
    logging: false,
    batching: false,
    context: ({ context }) => context,
    // Errors of resolvers are masked where documents run; these are Yoga's own.
    maskedErrors: { maskError: (error) => withStatus(toClientError(error, logger, 'graphql')) },
    plugins: [useCompiledExecutor(executor)],
  });
}

/** A request that is no GraphQL request is a 400 in either type of answer; Yoga would say 200 in the older one. */
function withStatus(error: GraphQLError): GraphQLError {
  const { code, http } = error.extensions as { code?: unknown; http?: { spec?: boolean } };
  if (code === 'BAD_REQUEST' && http !== undefined) delete http.spec;
  return error;
}

function useCompiledExecutor(executor: Executor): Plugin {
  return {
    onExecute({ args, setExecuteFn }) {
      // Yoga adds the server's context to its own, which the plugin's type does not say.
      const { params, context } = args.contextValue as typeof args.contextValue & { context: Context };
      const prepared = executor.prepare(params.query ?? '', args.document, args.operationName ?? undefined);
      if (prepared === null) return;
      setExecuteFn(({ variableValues }) => prepared.execute(variableValues ?? {}, context));
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
