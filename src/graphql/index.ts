export { requireScope } from './context.ts';
export type { Context, Services } from './context.ts';
export { toClientError, withinLength } from './errors.ts';
export {
  executionMs,
  largeReplies,
  largeReplyCost,
  limits as documentLimits,
  maxErrors,
  limitError,
  maxReplyCharacters,
  sharedLimits,
} from './limits.ts';
export { createExecutor } from './executor.ts';
export type { Executor, Prepared, Variables } from './executor.ts';
export type { DocumentSize } from './limits.ts';
export { renderGraphiQLPage } from './graphiql.ts';
export { PersistedDocuments } from './persisted-documents.ts';
export { schema } from './schema.ts';
export { readSubscription } from './subscription.ts';
export type { Subscribed } from './subscription.ts';
export { maxUploadBytes } from './upload.ts';
export { createGraphQLHandler } from './yoga.ts';
export type { Yoga, YogaAnswer } from './yoga.ts';
