import { AppError } from '../lib/errors.ts';
import { readCount, readPage, recordAudit } from '../tenants/index.ts';
import type { Actor, Page, PageAsked, TenantDb } from '../tenants/index.ts';
import { addTest, countMessages, listMessages, replayMessages } from './message-statements.ts';
import { findWebhook, named } from './endpoints.ts';
import { webhookLimits } from './limits.ts';
import { shownId } from './sign.ts';

export const messageStates = ['pending', 'dead'] as const;
type MessageState = (typeof messageStates)[number];

/** A message that was not accepted yet, or was given up on. */
export type WebhookMessage = Readonly<{
  messageId: string;
  webhookId: number;
  type: string;
  state: MessageState;
  attempts: number;
  /** The JSON that is sent. */
  body: string;
  nextAt: Date;
  lastStatus: number | null;
  lastError: string | null;
  createdAt: Date;
}>;

type MessagesAsked = PageAsked & Readonly<{ webhookId: number; state: MessageState }>;

/** Messages of an endpoint, oldest first. */
export function listWebhookMessages(
  db: TenantDb,
  { webhookId, state, ...page }: MessagesAsked,
): Promise<Page<WebhookMessage>> {
  return readPage(db, { list: listMessages, count: countMessages }, [webhookId, state], page);
}

const messageId = /^msg_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/**
 * Sends dead messages again, with the same ids: the given ones, or the oldest, up to the maximum per request.
 *
 * @returns how many; null if the tenant has no such endpoint.
 * @throws AppError `invalid_argument` for too many ids.
 */
export async function replayWebhook(
  db: TenantDb,
  { id, messages }: Readonly<{ id: number; messages: readonly string[] | null }>,
  by: Actor,
): Promise<Readonly<{ count: number }> | null> {
  if (messages !== null && messages.length > webhookLimits.replayed)
    throw new AppError('invalid_argument', `At most ${webhookLimits.replayed} messages are replayed at once`, {
      argument: 'messages',
    });
  const endpoint = await findWebhook(db, id);
  if (endpoint === null) return null;
  // A malformed id names no message.
  const ids = messages === null ? null : messages.flatMap((each) => messageId.exec(each)?.[1] ?? []);
  return db.transaction(async (client) => {
    const count = await readCount(db, replayMessages, [id, ids, webhookLimits.replayed], client);
    const subject = `${named(endpoint)}: ${count} messages`;
    if (count > 0) await recordAudit(db, by, { action: 'webhook.replayed', subject }, client);
    return { count };
  });
}

/**
 * Sends a message of type `webhook.test`.
 *
 * @returns its id; null if the tenant has no such endpoint.
 * @throws AppError `invalid_argument` for an endpoint that is disabled or has too many waiting messages.
 */
export async function testWebhook(db: TenantDb, id: number): Promise<Readonly<{ id: string }> | null> {
  const [added] = (await db.query<{ messageId: string }>(addTest, [id])).rows;
  if (added !== undefined) return { id: shownId(added) };
  const endpoint = await findWebhook(db, id);
  if (endpoint === null) return null;
  const message = endpoint.isEnabled ? 'The webhook has too many waiting messages' : 'The webhook is disabled';
  throw new AppError('invalid_argument', message, { argument: 'id' });
}
