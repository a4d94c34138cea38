import http from 'node:http';
import https from 'node:https';
import type { AddressGuard } from '../catalog/index.ts';
import { ElementError } from '../lib/errors.ts';
import type { AttemptOutcome } from './attempt.ts';
import { attemptLimits, maxRetryAfter } from './limits.ts';

type Message = Readonly<{ url: string; body: string; headers: Readonly<Record<string, string>> }>;

/**
 * Sends a message and waits for the reply. The reply is read to its end, or dropped if it is too large. Redirects are
 * not followed.
 */
export async function postMessage(
  { url, body, headers }: Message,
  guard: AddressGuard,
  limits: Readonly<{ connectMs: number; totalMs: number; answerBytes: number }> = attemptLimits,
): Promise<AttemptOutcome> {
  const timeout = AbortSignal.timeout(limits.totalMs);
  try {
    const target = new URL(url);
    guard.checkHost(target.hostname);
    const { status, retryAfter } = await post(target, { body, headers }, { guard, limits, signal: timeout });
    const isAccepted = status >= 200 && status < 300;
    return { isAccepted, status, error: isAccepted ? null : `the receiver answered ${status}`, retryAfter };
  } catch (error) {
    return { isAccepted: false, status: null, error: reasonOf(error, timeout, limits.totalMs), retryAfter: 0 };
  }
}

type Answer = Readonly<{ status: number; retryAfter: number }>;

type Bounds = Readonly<{
  guard: AddressGuard;
  limits: Readonly<{ connectMs: number; answerBytes: number }>;
  signal: AbortSignal;
}>;

function post(url: URL, { body, headers }: Omit<Message, 'url'>, { guard, limits, signal }: Bounds): Promise<Answer> {
  const isSecure = url.protocol === 'https:';
  const bytes = Buffer.from(body);
  return new Promise((resolve, reject) => {
    let answer: Answer | null = null;
    /** Once the status has arrived, an error in the rest of the reply does not matter. */
    const end = (error: Error) => (answer === null ? reject(error) : resolve(answer));
    const outgoing = (isSecure ? https : http).request(url, {
      method: 'POST',
      signal,
      lookup: guard.lookup,
      agent: false,
      headers: {
        'content-type': 'application/json',
        'content-length': bytes.length,
        'user-agent': 'Vitrine',
        connection: 'close',
        ...headers,
      },
    });
    const timer = setTimeout(
      () => outgoing.destroy(new Error(`no connection within ${limits.connectMs / 1000} s`)),
      limits.connectMs,
    );
    outgoing.once('socket', (socket) => {
      socket.setNoDelay(true);
      socket.once(isSecure ? 'secureConnect' : 'connect', () => clearTimeout(timer));
    });
    outgoing.once('response', (response) => {
      answer = { status: response.statusCode ?? 0, retryAfter: secondsOf(response.headers['retry-after']) };
      let size = 0;
      response.on('error', end);
      response.on('data', (part: Buffer) => {
        size += part.length;
        if (size > limits.answerBytes) response.destroy();
      });
    });
    outgoing.on('error', end);
    outgoing.once('close', () => {
      clearTimeout(timer);
      end(new Error('no answer'));
    });
    outgoing.end(bytes);
  });
}

function secondsOf(header: string | undefined): number {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Math.min(Number(header), maxRetryAfter) : 0;
}

function reasonOf(error: unknown, timeout: AbortSignal, totalMs: number): string {
  if (error instanceof ElementError) return 'the address is not public';
  if (timeout.aborted) return `no answer within ${totalMs / 1000} s`;
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
