import http from 'node:http';
import https from 'node:https';
import { ElementError } from '../../lib/errors.ts';
import type { AddressGuard } from './address-guard.ts';

export type FetchLimits = Readonly<{
  maxRedirects: number;
  maxBytes: number;
  connectTimeoutMs: number;
  totalTimeoutMs: number;
}>;

/** As the contract sets them. */
export const fetchLimits: FetchLimits = {
  maxRedirects: 5,
  maxBytes: 64 * 2 ** 20,
  connectTimeoutMs: 10_000,
  totalTimeoutMs: 60_000,
};

export type FetchOptions = Readonly<{ guard: AddressGuard; limits?: FetchLimits; signal?: AbortSignal }>;

/** What bounds the requests for one source: together they have the total time. */
export type Bounds = Readonly<{ guard: AddressGuard; limits: FetchLimits; signal: AbortSignal }>;

type Headers = Readonly<Record<string, string>>;

/** The bounds of a source whose reading begins now, and how a failure within them is told. */
export function beginFetch({ guard, limits = fetchLimits, signal }: FetchOptions): Bounds & {
  explain(error: unknown): ElementError;
} {
  const timeout = AbortSignal.timeout(limits.totalTimeoutMs);
  return {
    guard,
    limits,
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    explain(error) {
      signal?.throwIfAborted();
      if (error instanceof ElementError) return error;
      if (timeout.aborted) return unreachable(`no complete answer within ${limits.totalTimeoutMs / 1000} s`);
      return unreachable((error as NodeJS.ErrnoException).code ?? 'connection failed');
    },
  };
}

/** An answer, and the address that gave it in the end. */
export type Answer = Readonly<{ response: http.IncomingMessage; url: URL }>;

/** Asks for `url` and wherever it leads; every hop of a redirect passes the address guard again. */
export async function requestUrl(url: URL, headers: Headers, bounds: Bounds): Promise<Answer> {
  let current = url;
  for (let redirectsLeft = bounds.limits.maxRedirects; ; redirectsLeft -= 1) {
    checkUrl(current, bounds.guard);
    const response = await request(current, headers, bounds);
    const { statusCode = 0, headers: answered } = response;
    if (statusCode < 300 || statusCode >= 400 || answered.location === undefined) return { response, url: current };
    response.destroy();
    if (redirectsLeft === 0) throw unreachable('too many redirects');
    if (!URL.canParse(answered.location, current.href)) throw unreachable('a redirect points to an invalid URL');
    current = new URL(answered.location, current);
  }
}

function checkUrl(url: URL, guard: AddressGuard): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ElementError('source_forbidden', 'src must be an http or https URL', 'src');
  }
  if (url.username !== '' || url.password !== '') {
    throw new ElementError('source_forbidden', 'src must not carry a user name or password', 'src');
  }
  guard.checkHost(url.hostname);
}

function request(url: URL, headers: Headers, { guard, limits, signal }: Bounds): Promise<http.IncomingMessage> {
  const isSecure = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const outgoing = (isSecure ? https : http).get(url, {
      signal,
      lookup: guard.lookup,
      agent: false,
      headers: { 'accept-encoding': 'identity', 'user-agent': 'Vitrine', ...headers },
    });
    const timer = setTimeout(
      () => outgoing.destroy(unreachable(`no connection within ${limits.connectTimeoutMs / 1000} s`)),
      limits.connectTimeoutMs,
    );
    outgoing.once('socket', (socket) => {
      socket.once(isSecure ? 'secureConnect' : 'connect', () => clearTimeout(timer));
    });
    outgoing.once('response', (response) => {
      // Of a body that only its end delimits, a broken connection would otherwise make a whole one.
      outgoing.once('error', (error) => response.destroy(error));
      resolve(response);
    });
    outgoing.on('error', reject);
    outgoing.once('close', () => {
      clearTimeout(timer);
      reject(unreachable('no answer')); // Such as 101, which is neither a response nor an error.
    });
  });
}

/** The source is larger than may be taken from it. */
export function tooLarge(maxBytes: number): ElementError {
  return new ElementError('too_large', `the source is larger than ${maxBytes / 2 ** 20} MiB`, 'src');
}

export function unreachable(reason: string): ElementError {
  return new ElementError('source_unreachable', `src cannot be read: ${reason}`, 'src');
}
