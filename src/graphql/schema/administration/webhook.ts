import { notificationKinds } from '../../../notifications/index.ts';
import type { NotificationKind } from '../../../notifications/index.ts';
import { findWebhook, listWebhookMessages, listWebhooks, messageStates, shownId } from '../../../webhooks/index.ts';
import type { TenantWebhook, IssuedSecret, WebhookMessage } from '../../../webhooks/index.ts';
import { toKeyId } from '../access/api-key.ts';
import { builder } from '../builder.ts';
import { tenantOf } from '../context.ts';
import { pagesOf, pageType } from '../pages.ts';

export const WebhookObject = builder.objectRef<TenantWebhook>('Webhook').implement({
  description: 'Where notifications are sent to: signed messages over HTTP, or email.',
  fields: (t) => ({
    id: t.id({ description: 'Number of the webhook.', resolve: ({ id }) => String(id) }),
    url: t.exposeString('url', { description: 'An https or http URL, or `mailto:` with one address.' }),
    kinds: t.exposeStringList('kinds', { description: 'Kinds of notifications; empty for all.' }),
    formulas: t.exposeStringList('formulas', { description: 'Names of formulas that watch; empty for all.' }),
    digestMinutes: t.exposeInt('digestMinutes', {
      nullable: true,
      description: 'Minutes between digests; null sends each notification by itself.',
    }),
    isEnabled: t.exposeBoolean('isEnabled', { description: 'Whether messages are sent.' }),
    consecutiveFailures: t.exposeInt('consecutiveFailures', {
      description: 'Attempts that failed since the last message that was accepted.',
    }),
    failingSince: t.expose('failingSince', {
      type: 'DateTime',
      nullable: true,
      description: 'When the first of these attempts was made.',
    }),
    lastDeliveredAt: t.expose('lastDeliveredAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a message was last accepted, to a minute.',
    }),
    switchedOffAt: t.expose('switchedOffAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the service disabled it, because it failed for a long time or answered 410.',
    }),
    formerSecretUntil: t.expose('formerUntil', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when the former secret also signs.',
    }),
    pending: t.exposeInt('pending', { description: 'Messages that wait.' }),
    dead: t.exposeInt('dead', { description: 'Messages that were given up.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was added.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
});

export const IssuedWebhook = builder.objectRef<IssuedSecret>('IssuedWebhook').implement({
  description: 'A webhook with its secret, which cannot be read again.',
  fields: (t) => ({
    secret: t.exposeString('secret', { description: 'Receivers verify signatures with it (Standard Webhooks).' }),
    webhook: t.expose('endpoint', { type: WebhookObject, description: 'The webhook as listed.' }),
  }),
});

const WebhookPage = pageType(WebhookObject, {
  name: 'WebhookPage',
  description: 'A page of webhooks, oldest first.',
  results: 'The webhooks of this page.',
});

const MessageState = builder.enumType('WebhookMessageState', {
  values: messageStates,
  description: '`pending` messages wait for an attempt, `dead` ones were given up.',
});

const MessageObject = builder.objectRef<WebhookMessage>('WebhookMessage').implement({
  description: 'A message to a webhook that was not accepted yet, or was given up.',
  fields: (t) => ({
    id: t.id({ description: 'Its `webhook-id`, the same for every attempt.', resolve: shownId }),
    type: t.exposeString('type', { description: 'Kind of the notification, `digest` or `webhook.test`.' }),
    state: t.expose('state', { type: MessageState, description: 'Whether it waits.' }),
    attempts: t.exposeInt('attempts', { description: 'Attempts that failed.' }),
    body: t.exposeString('body', { description: 'The JSON that is sent.' }),
    nextAt: t.expose('nextAt', {
      type: 'DateTime',
      description: 'When the next attempt is due, or the last one failed.',
    }),
    lastStatus: t.exposeInt('lastStatus', { nullable: true, description: 'Status of the last answer.' }),
    lastError: t.exposeString('lastError', { nullable: true, description: 'Why the last attempt failed.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
  }),
});

const MessagePage = pageType(MessageObject, {
  name: 'WebhookMessagePage',
  description: 'A page of messages, oldest first.',
  results: 'The messages of this page.',
});

const NotificationKindObject = builder.objectRef<Readonly<{ name: NotificationKind }>>('NotificationKind').implement({
  description: 'A kind of notifications.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name, such as `record.matched`.' }),
    description: t.string({
      description: 'The event that it reports.',
      resolve: ({ name }) => notificationKinds[name].description,
    }),
  }),
});

const webhookPages = pagesOf('Webhooks');
const messagePages = pagesOf('Messages', { most: 200 });
const scope = 'webhooks:manage' as const;
export const webhookIdArg = builder.args((t) => ({
  id: t.id({ required: true, description: 'Number of the webhook.' }),
}));
builder.queryFields((t) => ({
  webhooks: t.field({
    type: WebhookPage,
    description: 'The webhooks of the tenant, oldest first.',
    args: webhookPages.args,
    authScopes: { scope },
    resolve: (_root, page, context) => {
      webhookPages.check(page);
      return listWebhooks(tenantOf(context), page);
    },
  }),
  webhook: t.field({
    type: WebhookObject,
    nullable: true,
    description: 'A webhook; null if the tenant has none with that number.',
    args: webhookIdArg,
    authScopes: { scope },
    resolve: (_root, { id }, context) => findWebhook(tenantOf(context), toKeyId(id)),
  }),
  webhookMessages: t.field({
    type: MessagePage,
    nullable: true,
    description: 'Messages of a webhook that were not accepted, oldest first. Null if the tenant has no such webhook.',
    args: {
      ...webhookIdArg,
      state: t.arg({
        type: MessageState,
        required: true,
        defaultValue: 'dead',
        description: 'Only messages in this state.',
      }),
      ...messagePages.args,
    },
    authScopes: { scope },
    resolve: async (_root, { id, ...rest }, context) => {
      messagePages.check(rest);
      const db = tenantOf(context);
      const webhook = await findWebhook(db, toKeyId(id));
      return webhook === null ? null : listWebhookMessages(db, { webhookId: webhook.id, ...rest });
    },
  }),
  notificationKinds: t.field({
    type: [NotificationKindObject],
    description: 'The kinds of notifications that webhooks can ask for.',
    authScopes: { scope },
    resolve: () => (Object.keys(notificationKinds) as NotificationKind[]).map((name) => ({ name })),
  }),
}));
