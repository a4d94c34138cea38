import http from 'node:http';
import https from 'node:https';
import { ElementError } from '../../errors.ts';
import type { AddressGuard } from './address-guard.ts';

export type FetchLimits = Readonly<{
  maxRedirects: number;
  maxBytes: number;
  connectTimeoutMs: number;
  totalTimeoutMs: number;
}>;

/** As spec/decisions.md sets them. */
export const fetchLimits: FetchLimits = {
  maxRedirects: 5,
  maxBytes: 64 * 2 ** 20,
  connectTimeoutMs: 10_000,
  totalTimeoutMs: 60_000,
};

export type FetchOptions = Readonly<{ guard: AddressGuard; limits?: FetchLimits; signal?: AbortSignal }>;

/**
 * Downloads `src`. Every hop of a redirect passes the address guard again.
 *
 * @throws ElementError `source_forbidden`, `source_unreachable` or `too_large`.
 */
export async function fetchUrl(src: string, options: FetchOptions): Promise<Buffer> {
  const { limits = fetchLimits, guard, signal } = options;
  const timeout = AbortSignal.timeout(limits.totalTimeoutMs);
  const bounded = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  try {
    return await follow(new URL(src), limits.maxRedirects, { guard, limits, signal: bounded });
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ElementError) throw error;
    if (timeout.aborted) throw unreachable(`no full answer within ${limits.totalTimeoutMs / 1000} s`);
    const cause = (error as NodeJS.ErrnoException).code ?? 'connection failed';
    throw unreachable(cause);
  }
}

type Bounds = Readonly<{ guard: AddressGuard; limits: FetchLimits; signal: AbortSignal }>;

async function follow(url: URL, redirectsLeft: number, bounds: Bounds): Promise<Buffer> {
  checkUrl(url, bounds.guard);
  const response = await request(url, bounds);
  const { statusCode = 0, headers } = response;
  if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
    response.destroy();
    if (redirectsLeft === 0) throw unreachable('too many redirects');
    if (!URL.canParse(headers.location, url.href)) throw unreachable('a redirect leads to no valid address');
    return follow(new URL(headers.location, url), redirectsLeft - 1, bounds);
  }
  if (statusCode !== 200) {
    response.destroy();
    throw unreachable(`the server answered ${statusCode}`);
  }
  return readBody(response, bounds.limits.maxBytes);
}

function checkUrl(url: URL, guard: AddressGuard): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ElementError('source_forbidden', 'src must be an http or https address', 'src');
  }
  if (url.username !== '' || url.password !== '') {
    throw new ElementError('source_forbidden', 'src must not carry a user name or password', 'src');
  }
  guard.checkHost(url.hostname);
}

function request(url: URL, { guard, limits, signal }: Bounds): Promise<http.IncomingMessage> {
  const isSecure = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const outgoing = (isSecure ? https : http).get(url, {
      signal,
      lookup: guard.lookup,
      agent: false,
      headers: { accept: 'image/*,*/*;q=0.5', 'accept-encoding': 'identity', 'user-agent': 'Vitrine' },
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

async function readBody(response: http.IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new ElementError('too_large', `the source is larger than ${maxBytes / 2 ** 20} MiB`, 'src');
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) {
    response.destroy();
    throw tooLarge();
  }
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBytes) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts, size);
}

function unreachable(reason: string): ElementError {
  return new ElementError('source_unreachable', `src cannot be read: ${reason}`, 'src');
}
