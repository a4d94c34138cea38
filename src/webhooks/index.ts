export { createDeliveries } from './deliver.ts';
export type { Deliveries } from './deliver.ts';
export { expiredMessages } from './message-statements.ts';
export { createEmailSender } from './email.ts';
export {
  addWebhook,
  findWebhook,
  isEmail,
  listWebhooks,
  removeWebhook,
  rotateWebhook,
  updateWebhook,
} from './endpoints.ts';
export type { TenantWebhook, EndpointRules, IssuedSecret } from './endpoints.ts';
export { webhookFigures } from './figures.ts';
export { attemptLimits, claimSeconds, parallelAttempts, retrySeconds, webhookLimits } from './limits.ts';
export { listWebhookMessages, messageStates, replayWebhook, shownId, testWebhook } from './messages.ts';
export type { WebhookMessage } from './messages.ts';
export { signedHeaders } from './sign.ts';
export { createForwarder, listen } from './listen.ts';
export type { ShownNotification } from './listen.ts';
