import { Webhook } from 'standardwebhooks';

/** A secret in the format that Standard Webhooks prescribes. */
export function shownSecret(secret: Uint8Array): string {
  return `whsec_${Buffer.from(secret).toString('base64')}`;
}

/** The id of a message as receivers see it. */
export function shownId({ messageId }: Readonly<{ messageId: string }>): string {
  return `msg_${messageId}`;
}

/** The headers of Standard Webhooks, with one signature per secret. */
export function signedHeaders(
  message: Readonly<{ messageId: string; body: string }>,
  secrets: readonly Uint8Array[],
): Readonly<Record<string, string>> {
  const id = shownId(message);
  const at = new Date();
  const signatures = secrets.map((secret) => new Webhook(shownSecret(secret)).sign(id, at, message.body));
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}
