export { requireScope } from './schema/context.ts';
export { admitCall } from './schema/root-fields.ts';
export type { Context, Operator, Services } from './schema/context.ts';
export { toClientError, withinLength } from './schema/errors.ts';
export {
  executionMs,
  largeReplies,
  largeReplyCost,
  documentLimits,
  maxErrors,
  maxListLength,
  maxReplyCharacters,
  maxStreamedCharacters,
} from './server/limits.ts';
export { checkOperation } from './server/check-operation.ts';
export { createGraphQLEndpoint } from './server/endpoint.ts';
export { createExecutor } from './server/executor.ts';
export type { Executor } from './server/executor.ts';
export type { Variables } from './server/run-operation.ts';
export { LargeReplies } from './server/large-replies.ts';
export { renderGraphiQLPage } from './server/graphiql.ts';
export { sliceForParsing } from './server/parsing-slice.ts';
export { PersistedDocuments } from './server/persisted-documents.ts';
export { schema } from './schema/schema.ts';
export { readSubscription } from './server/read-subscription.ts';
export type { SubscriptionStart } from './server/subscription.ts';
export { createGraphQLHandler } from './server/yoga.ts';
