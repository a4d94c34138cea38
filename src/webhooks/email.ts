import nodemailer from 'nodemailer';
import type { SendEmail } from './attempt.ts';
import { checkEmail } from './email-address.ts';
import { attemptLimits } from './limits.ts';
import { shownId } from './sign.ts';

type EmailOptions = Readonly<{ smtpUrl: string; from: string; totalMs?: number }>;

type One = Readonly<{ type: string; timestamp: string; data: Readonly<Record<string, unknown>> }>;

/** Maximum number of notifications that the text of an email lists. */
const maxLines = 200;

/** Creates the sender of email through the server of SMTP_URL. */
export function createEmailSender({ smtpUrl, from, totalMs = attemptLimits.emailMs }: EmailOptions): SendEmail {
  const transport = nodemailer.createTransport({
    url: smtpUrl,
    connectionTimeout: attemptLimits.connectMs,
    greetingTimeout: attemptLimits.connectMs,
    socketTimeout: attemptLimits.totalMs,
    // We send only our own text and headers: nothing in a message may be read from files or URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async (message) => {
    const to = checkEmail(message.url);
    if (to === null) return { isAccepted: false, status: null, error: 'no address', retryAfter: 0 };
    const { subject, text } = emailText(JSON.parse(message.body) as One);
    // Retries have the same id, so that mail clients recognize duplicates.
    const messageId = `<${message.messageId}@vitrine>`;
    const signal = AbortSignal.timeout(totalMs);
    try {
      await transport.sendMail({
        from,
        to,
        subject,
        text,
        messageId,
        signal,
        headers: { 'webhook-id': shownId(message) },
      });
      return { isAccepted: true, status: null, error: null, retryAfter: 0 };
    } catch (error) {
      if (signal.aborted) {
        const late = `not accepted within ${totalMs / 1000} s`;
        return { isAccepted: false, status: null, error: late, retryAfter: 0 };
      }
      const { responseCode = null, message: reason } = error as Error & { responseCode?: number };
      return { isAccepted: false, status: responseCode, error: reason.split('\n', 1)[0] ?? reason, retryAfter: 0 };
    }
  };
}

/** The subject and the text of an email. */
export function emailText(message: One): Readonly<{ subject: string; text: string }> {
  const notifications = message.type === 'digest' ? (message.data['notifications'] as readonly One[]) : [message];
  const [first] = notifications;
  const subject =
    notifications.length === 1 && first !== undefined
      ? `Vitrine: ${sentence(first)}`
      : `Vitrine: ${notifications.length} notifications`;
  const lines = notifications.slice(0, maxLines).map((each) => `${each.timestamp}  ${sentence(each)}`);
  const rest = notifications.length > maxLines ? [`and ${notifications.length - maxLines} more`] : [];
  return { subject: subject.replaceAll(/\s+/g, ' ').slice(0, 200), text: `${[...lines, ...rest].join('\n')}\n` };
}

/** A notification as a sentence. */
function sentence({ type, data }: One): string {
  const { resource = 'record', id = '', formula = '', operation_id: operation = '' } = data as Record<string, string>;
  switch (type) {
    case 'record.matched':
      return `${resource} ${id} matches ${formula}`;
    case 'record.unmatched':
      return `${resource} ${id} no longer matches ${formula}`;
    case 'operation.finished':
      return `operation ${operation} has ended`;
    case 'duplicate.found':
      return `${resource} ${id} is a copy of ${String(data['duplicate_of'] ?? 'another one')}`;
    case 'analysis.failed':
      return `${resource} ${id} could not be analyzed`;
    default:
      return type;
  }
}
