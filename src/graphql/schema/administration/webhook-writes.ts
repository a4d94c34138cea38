import {
  addWebhook,
  removeWebhook,
  replayWebhook,
  rotateWebhook,
  testWebhook,
  updateWebhook,
  webhookLimits,
} from '../../../webhooks/index.ts';
import type { EndpointRules } from '../../../webhooks/index.ts';
import { AppError } from '../../../lib/errors.ts';
import { toKeyId } from '../access/api-key.ts';
import { builder } from '../builder.ts';
import { actorOf } from '../context.ts';
import type { Context } from '../context.ts';
import { dryRunArgs, writeFor } from '../dry-run.ts';
import { IssuedWebhook, WebhookObject, webhookIdArg } from './webhook.ts';

const scope = 'webhooks:manage' as const;
const WebhookTest = builder.objectRef<Readonly<{ id: string }>>('WebhookTest').implement({
  description: 'A message that tests a webhook.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'Its `webhook-id`.' }) }),
});

const WebhookReplay = builder.objectRef<Readonly<{ count: number }>>('WebhookReplay').implement({
  description: 'Messages that are sent again.',
  fields: (t) => ({ count: t.exposeInt('count', { description: 'The number of messages.' }) }),
});

const asked = builder.args((t) => ({
  kinds: t.stringList({ description: 'Kinds of notifications; empty for all.' }),
  formulas: t.stringList({
    description: 'Names of formulas that watch; empty for all. Other notifications are sent, too.',
  }),
  digestMinutes: t.int({
    description: `Minutes between digests, up to ${webhookLimits.digestMinutes}; 0 sends each notification by itself. 15 for email by default.`,
  }),
}));

/** @throws AppError `unavailable` in a process without rules for webhook addresses. */
function rulesOf({ services }: Context): EndpointRules {
  if (services.endpointRules === undefined) throw new AppError('unavailable', 'Webhooks are not available here');
  return services.endpointRules;
}

builder.mutationFields((t) => ({
  addWebhook: t.field({
    type: IssuedWebhook,
    description: 'Adds a webhook. It begins with the next notification.',
    args: {
      url: t.arg.string({ required: true, description: 'An https or http URL, or `mailto:` with one address.' }),
      ...asked,
      ...dryRunArgs,
    },
    authScopes: { scope },
    resolve: (_root, { dryRun, ...request }, context) =>
      writeFor(context, dryRun, (db) => addWebhook(db, request, rulesOf(context), actorOf(context))),
  }),
  updateWebhook: t.field({
    type: WebhookObject,
    nullable: true,
    description: 'Changes a webhook; omitted settings stay. Null if the tenant has no such webhook.',
    args: {
      ...webhookIdArg,
      url: t.arg.string({ description: 'The new address.' }),
      ...asked,
      isEnabled: t.arg.boolean({
        description:
          'Whether messages are sent. While it is disabled they are kept, and sent when it is enabled again.',
      }),
      ...dryRunArgs,
    },
    authScopes: { scope },
    resolve: (_root, { id, dryRun, ...request }, context) =>
      writeFor(context, dryRun, (db) => updateWebhook(db, toKeyId(id), request, rulesOf(context), actorOf(context))),
  }),
  removeWebhook: t.field({
    type: WebhookObject,
    nullable: true,
    description: 'Removes a webhook with its messages. Null if the tenant has no such webhook.',
    args: { ...webhookIdArg, ...dryRunArgs },
    authScopes: { scope },
    resolve: (_root, { id, dryRun }, context) =>
      writeFor(context, dryRun, (db) => removeWebhook(db, toKeyId(id), actorOf(context))),
  }),
}));

builder.mutationFields((t) => ({
  rotateWebhookSecret: t.field({
    type: IssuedWebhook,
    nullable: true,
    description: 'Rotates the secret of a webhook. Null if the tenant has no such webhook.',
    args: {
      ...webhookIdArg,
      overlapSeconds: t.arg.int({
        defaultValue: 86_400,
        required: true,
        description: 'How long messages are also signed with the former secret, up to 7 days.',
      }),
      ...dryRunArgs,
    },
    authScopes: { scope },
    resolve: (_root, { id, overlapSeconds, dryRun }, context) =>
      writeFor(context, dryRun, (db) => rotateWebhook(db, { id: toKeyId(id), overlapSeconds }, actorOf(context))),
  }),
  testWebhook: t.field({
    type: WebhookTest,
    nullable: true,
    description: 'Sends a message of type `webhook.test`, as soon as possible. Null if the tenant has no such webhook.',
    args: { ...webhookIdArg, ...dryRunArgs },
    authScopes: { scope },
    resolve: (_root, { id, dryRun }, context) => writeFor(context, dryRun, (db) => testWebhook(db, toKeyId(id))),
  }),
  replayWebhook: t.field({
    type: WebhookReplay,
    nullable: true,
    description: 'Retries messages that were given up, under the same ids. Null if the tenant has no such webhook.',
    args: {
      ...webhookIdArg,
      messages: t.arg.idList({
        description: `Ids of messages; by default the oldest ${webhookLimits.replayed} that were given up.`,
      }),
      ...dryRunArgs,
    },
    authScopes: { scope },
    resolve: (_root, { id, messages, dryRun }, context) => {
      const asked = { id: toKeyId(id), messages: messages?.map(String) ?? null };
      return writeFor(context, dryRun, (db) => replayWebhook(db, asked, actorOf(context)));
    },
  }),
}));
