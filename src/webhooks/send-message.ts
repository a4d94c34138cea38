import { counter, timing } from '../observability/metrics/index.ts';
import { operator, recordAudit } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import { acceptMessage, failMessage, noteSwitchedOff, pauseEndpoint } from './message-statements.ts';
import type { AttemptOutcome, ClaimedMessage, SendDeps } from './attempt.ts';
import { isEmail, named } from './endpoints.ts';
import { pauseSeconds, retrySeconds } from './limits.ts';
import { postMessage } from './post-message.ts';
import { signedHeaders } from './sign.ts';

/** 410: the receiver says that it is gone for good. */
const gone = 410;

/** Makes one attempt and stores its outcome. If the process dies in between, the same message is sent again. */
export async function sendMessage(
  db: TenantDb,
  message: ClaimedMessage,
  worker: string,
  deps: SendDeps,
): Promise<void> {
  const begun = performance.now();
  const outcome = await attempt(message, deps);
  timing('webhook_attempt_seconds', {}).observe((performance.now() - begun) / 1000);
  if (outcome.isAccepted) {
    await db.query(acceptMessage, [message.id, worker]);
    counter('webhook_deliveries_total', { outcome: 'delivered' }).add(1);
    return;
  }
  await fail(db, message, outcome, { worker, deps });
}

function attempt(message: ClaimedMessage, { guard, sendEmail }: SendDeps): Promise<AttemptOutcome> {
  const { url, body, secret, formerSecret } = message;
  if (isEmail(url)) {
    if (sendEmail !== null) return sendEmail(message);
    return Promise.resolve({ isAccepted: false, status: null, error: 'SMTP_URL is not set', retryAfter: 0 });
  }
  const secrets = formerSecret === null ? [secret] : [secret, formerSecret];
  return postMessage({ url, body, headers: signedHeaders(message, secrets) }, guard);
}

type Failed = Readonly<{ id: number; url: string; failures: number; isEnabled: boolean }>;
type By = Readonly<{ worker: string; deps: SendDeps }>;

async function fail(
  db: TenantDb,
  { id, attempts }: ClaimedMessage,
  { status, error, retryAfter }: AttemptOutcome,
  { worker, deps: { logger } }: By,
): Promise<void> {
  const planned = retrySeconds[attempts];
  const seconds = planned === undefined ? null : Math.max(planned, retryAfter);
  const values = [id, worker, status, error?.slice(0, 500), seconds, status === gone];
  const switchedOff = await db.transaction(async (client) => {
    const { rows } = await db.query<Failed>(failMessage, values, client);
    const [endpoint] = rows;
    if (endpoint === undefined) return null; // Another worker has taken it over.
    if (endpoint.isEnabled) {
      const pause = pauseSeconds(endpoint.failures);
      if (pause > 0) await db.query(pauseEndpoint, [endpoint.id, pause], client);
      return null;
    }
    const { rowCount } = await db.query(noteSwitchedOff, [endpoint.id], client);
    if (rowCount === 0) return null;
    await recordAudit(db, operator, { action: 'webhook.switched_off', subject: named(endpoint) }, client);
    return endpoint;
  });
  counter('webhook_deliveries_total', { outcome: seconds === null ? 'dead' : 'failed' }).add(1);
  if (switchedOff !== null) {
    const reported = { tenantId: db.tenantId, webhookId: switchedOff.id, failures: switchedOff.failures, error };
    logger.warn(reported, 'a webhook was disabled because it failed for a long time or answered 410');
  }
}
