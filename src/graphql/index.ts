export type { Context, Services } from './context.ts';
export { toClientError } from './errors.ts';
export { createExecutor } from './executor.ts';
export type { Executor, Prepared, Variables } from './executor.ts';
export { renderGraphiQLPage } from './graphiql.ts';
export { schema } from './schema.ts';
export { createGraphQLHandler } from './yoga.ts';
export type { Yoga } from './yoga.ts';
