import { valueAt } from './answers.ts';
import type { Input, Parameter, ServedEndpoint } from './endpoint.ts';
import { flag, limit, page } from './parameters.ts';
import { found, toInt32 } from './replies.ts';
import { boolean, integer, integerId, listOf, objectOf, oneOf, string } from './types.ts';
import type { BodyField } from './types.ts';
import type { ReadObject } from '../compat/values.ts';

const webhookId: Parameter = {
  name: 'webhook_id',
  as: 'id',
  in: 'path',
  type: integerId,
  description: 'Number of the webhook.',
  example: { read: 1, written: 999_999_999 },
};
const dryRun = flag('dry_run', 'Store nothing; the reply is that of the write.');

const url = (required?: true): BodyField => ({
  name: 'url',
  type: string,
  ...(required ? { required } : { nullable: true }),
  description: 'An https or http URL, or `mailto:` with one address.',
  example: 'https://example.com/hook',
});
const asked: readonly BodyField[] = [
  {
    name: 'kinds',
    type: listOf(string),
    nullable: true,
    description: 'Kinds of notifications, such as `record.matched`; empty for all.',
  },
  {
    name: 'formulas',
    type: listOf(string),
    nullable: true,
    description: 'Names of formulas that watch; empty for all.',
  },
  {
    name: 'digest_minutes',
    as: 'digestMinutes',
    type: integer({ ge: 0, le: 1440 }),
    nullable: true,
    description: 'Minutes between digests; 0 sends each notification by itself.',
  },
];

const toId = ({ values }: Input) => String(values['webhook_id']);
const toWrite = (input: Input) => ({ ...(input.body as ReadObject).values, dryRun: input.values['dry_run'] });
const missing = 'Webhook not found';
const issued = (status: number) => valueAt(status, 'The webhook, and its secret, which is shown only here.', 'issued');
const ofWebhook = { scope: 'webhooks:manage', parameters: [webhookId] } as const;

/** Endpoints that manage where a tenant's notifications are sent. */
export const webhookEndpoints: readonly ServedEndpoint[] = [
  {
    method: 'GET',
    path: '/webhooks',
    summary: 'List webhooks, oldest first',
    scope: 'webhooks:manage',
    document: 'list-webhooks',
    answers: [valueAt(200, 'A page of webhooks, oldest first.', 'webhooks')],
    parameters: [page, limit(1000)],
    variables: ({ values }) => ({ page: toInt32(values['page']), limit: values['limit'] }),
    reply: (data) => ({ status: 200, body: data['webhooks'] }),
  },
  {
    method: 'POST',
    path: '/webhooks',
    summary: 'Add a webhook',
    scope: 'webhooks:manage',
    document: 'add-webhook',
    answers: [issued(201)],
    parameters: [dryRun],
    body: {
      kind: 'json',
      name: 'WebhookRequest',
      type: objectOf([url(true), ...asked]),
      description: 'The address, and which events to send.',
    },
    variables: toWrite,
    reply: (data) => ({ status: 201, body: data['issued'] }),
  },
  {
    ...ofWebhook,
    method: 'GET',
    path: '/webhooks/{webhook_id}',
    summary: 'Read a webhook',
    document: 'get-webhook',
    answers: [valueAt(200, 'The webhook.', 'webhook')],
    variables: (input) => ({ id: toId(input) }),
    reply: (data) => found(data, 'webhook', missing),
  },
  {
    ...ofWebhook,
    method: 'PATCH',
    path: '/webhooks/{webhook_id}',
    summary: 'Change, enable or disable a webhook',
    document: 'update-webhook',
    answers: [valueAt(200, 'The webhook after the change.', 'webhook')],
    parameters: [webhookId, dryRun],
    body: {
      kind: 'json',
      name: 'WebhookPatch',
      type: objectOf([
        url(),
        ...asked,
        {
          name: 'is_enabled',
          as: 'isEnabled',
          type: boolean,
          nullable: true,
          description:
            'Whether messages are sent. While it is disabled they are kept, and sent when it is enabled again.',
        },
      ]),
      description: 'The settings to change; others stay.',
    },
    variables: (input) => ({ id: toId(input), ...toWrite(input) }),
    reply: (data) => found(data, 'webhook', missing),
  },
  {
    ...ofWebhook,
    method: 'DELETE',
    path: '/webhooks/{webhook_id}',
    summary: 'Remove a webhook',
    document: 'remove-webhook',
    answers: [valueAt(200, 'The removed webhook.', 'webhook')],
    parameters: [webhookId, dryRun],
    variables: (input) => ({ id: toId(input), dryRun: input.values['dry_run'] }),
    reply: (data) => found(data, 'webhook', missing),
  },
  {
    ...ofWebhook,
    method: 'POST',
    path: '/webhooks/{webhook_id}/secret',
    summary: 'Rotate the secret of a webhook',
    document: 'rotate-webhook-secret',
    answers: [issued(200)],
    parameters: [
      webhookId,
      {
        name: 'overlap_seconds',
        as: 'overlapSeconds',
        in: 'query',
        type: integer({ ge: 0, le: 604_800 }),
        default: 86_400,
        description: 'How long messages are also signed with the former secret.',
      },
      dryRun,
    ],
    variables: (input) => ({
      id: toId(input),
      overlapSeconds: input.values['overlap_seconds'],
      dryRun: input.values['dry_run'],
    }),
    reply: (data) => found(data, 'issued', missing),
  },
  {
    ...ofWebhook,
    method: 'POST',
    path: '/webhooks/{webhook_id}/test',
    summary: 'Send a message of type `webhook.test`',
    document: 'test-webhook',
    answers: [valueAt(200, 'The message, with its `webhook-id`.', 'test')],
    variables: (input) => ({ id: toId(input) }),
    reply: (data) => found(data, 'test', missing),
  },
  {
    ...ofWebhook,
    method: 'GET',
    path: '/webhooks/{webhook_id}/messages',
    summary: 'List messages that were not accepted, oldest first',
    document: 'list-webhook-messages',
    answers: [valueAt(200, 'A page of messages.', 'webhookMessages')],
    parameters: [
      webhookId,
      {
        name: 'state',
        in: 'query',
        type: oneOf('WebhookMessageState', ['pending', 'dead']),
        default: 'dead',
        description: '`pending` messages wait for an attempt, `dead` ones were given up.',
      },
      page,
      limit(200),
    ],
    variables: (input) => ({
      id: toId(input),
      state: input.values['state'],
      page: toInt32(input.values['page']),
      limit: input.values['limit'],
    }),
    reply: (data) => found(data, 'webhookMessages', missing),
  },
  {
    ...ofWebhook,
    method: 'POST',
    path: '/webhooks/{webhook_id}/replay',
    summary: 'Retry messages that were given up',
    document: 'replay-webhook',
    answers: [valueAt(200, 'The number of messages.', 'replay')],
    body: {
      kind: 'json',
      name: 'WebhookReplayRequest',
      type: objectOf([
        {
          name: 'messages',
          type: listOf(string),
          nullable: true,
          description: 'Ids of messages; by default the oldest 1000 that were given up.',
        },
      ]),
      description: 'The messages to retry.',
    },
    variables: (input) => ({ id: toId(input), ...(input.body as ReadObject).values }),
    reply: (data) => found(data, 'replay', missing),
  },
];
