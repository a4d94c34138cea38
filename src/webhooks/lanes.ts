import { setMaxListeners } from 'node:events';
import { FairSemaphore } from '../lib/fair-semaphore.ts';
import type { TenantDb } from '../tenants/index.ts';
import type { ClaimedMessage, SendDeps } from './attempt.ts';
import { parallelAttempts } from './limits.ts';
import { claimMessage } from './message-statements.ts';
import { sendMessage } from './send-message.ts';

/** Sending to one webhook: the number of senders, and whether there is news since the last poll. */
type Lane = { senders: number; isCalled: boolean };

/** The webhooks that this process currently sends to. */
type Lanes = Readonly<{
  /**
   * Sends what is due for a webhook, without waiting for what is already being sent to it; `worker` is the id of this
   * process.
   */
  call(db: TenantDb, webhookId: number, worker: string): void;
  /** Starts no more attempts, and waits for the running ones. */
  close(): Promise<void>;
}>;

export function createLanes(deps: SendDeps): Lanes {
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // Every waiting sender listens.
  const { capacity, perTenant, perEndpoint } = parallelAttempts;
  const slots = new FairSemaphore({ name: 'webhooks', capacity, perOwner: perTenant });
  const lanes = new Map<number, Lane>();
  const sending = new Set<Promise<void>>();

  /** Sends messages one after the other until none is due. Each message found adds another sender. */
  async function run(db: TenantDb, webhookId: number, lane: Lane, worker: string): Promise<void> {
    const sendNext = async () => {
      const { rows } = await db.query<ClaimedMessage>(claimMessage, [webhookId, worker]);
      const [message] = rows;
      if (message === undefined) return false;
      addSender(db, webhookId, lane, worker);
      await sendMessage(db, message, worker, deps);
      return true;
    };
    try {
      while (!closing.signal.aborted) {
        lane.isCalled = false;
        const isSent = await slots.run(db.tenantId, sendNext, closing.signal);
        if (!isSent && !lane.isCalled) return;
      }
    } finally {
      lane.senders -= 1;
      if (lane.senders === 0) lanes.delete(webhookId);
    }
  }

  function addSender(db: TenantDb, webhookId: number, lane: Lane, worker: string): void {
    if (lane.senders >= perEndpoint || closing.signal.aborted) return;
    lane.senders += 1;
    const work = run(db, webhookId, lane, worker)
      .catch((error: unknown) => {
        if (closing.signal.aborted) return;
        // The next sweep tries again.
        const reported = { tenantId: db.tenantId, webhookId, error: String(error) };
        deps.logger.warn(reported, 'sending to a webhook was interrupted');
      })
      .finally(() => sending.delete(work));
    sending.add(work);
  }

  return {
    call(db, webhookId, worker) {
      const lane = lanes.get(webhookId) ?? { senders: 0, isCalled: false };
      lanes.set(webhookId, lane);
      lane.isCalled = true;
      if (lane.senders === 0) addSender(db, webhookId, lane, worker);
    },
    async close() {
      closing.abort();
      await Promise.all(sending);
    },
  };
}
