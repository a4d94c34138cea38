import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAddressGuard } from '../catalog/index.ts';
import { lastNotification, readNotifications } from '../notifications/index.ts';
import type { Notification } from '../notifications/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import type { AttemptOutcome } from './attempt.ts';
import { postMessage } from './post-message.ts';
import { shownSecret, signedHeaders } from './sign.ts';

/** Milliseconds between reads of the log while there is nothing new. */
const pollMs = 250;

/** A notification as a message contains it. */
export type ShownNotification = Readonly<{ type: string; timestamp: string; data: Readonly<Record<string, unknown>> }>;

function shownNotification({ kind, at, formula, resource, ref, operationId, data }: Notification): ShownNotification {
  const given = { formula, resource, id: ref, operation_id: operationId };
  const named = Object.entries(given).filter(([, value]) => value !== null);
  return { type: kind, timestamp: at.toISOString(), data: { ...Object.fromEntries(named), ...data } };
}

/** Yields the notifications of a tenant from now on, until the signal fires. */
export async function* listen(db: TenantDb, signal: AbortSignal): AsyncGenerator<ShownNotification> {
  for (let after = await lastNotification(db); !signal.aborted;) {
    const found = await readNotifications(db, { after });
    for (const notification of found) {
      after = Number(notification.number);
      yield shownNotification(notification);
    }
    if (found.length === 0) await sleep(pollMs, undefined, { signal }).catch(() => {});
  }
}

/** Sends messages to a receiver of the caller's choice, at any address, signed with a separate secret. */
export function createForwarder(url: string): Readonly<{
  secret: string;
  forward: (message: ShownNotification) => Promise<AttemptOutcome>;
}> {
  const secret = randomBytes(32);
  const guard = createAddressGuard(['0.0.0.0/0', '::/0']);
  return {
    secret: shownSecret(secret),
    forward(message) {
      const body = JSON.stringify(message);
      return postMessage({ url, body, headers: signedHeaders({ messageId: randomUUID(), body }, [secret]) }, guard);
    },
  };
}
