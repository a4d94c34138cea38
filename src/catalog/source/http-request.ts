import http from 'node:http';
import https from 'node:https';
import { pipeline, Transform } from 'node:stream';
import { ElementError } from '../../lib/errors.ts';
import { PieceBudget } from '../../lib/piece-budget.ts';
import type { AddressGuard } from './address-guard.ts';

export type FetchLimits = Readonly<{
  maxRedirects: number;
  maxBytes: number;
  connectTimeoutMs: number;
  totalTimeoutMs: number;
}>;

/** The limits that the contract sets. */
export const fetchLimits: FetchLimits = {
  maxRedirects: 5,
  maxBytes: 64 * 2 ** 20,
  connectTimeoutMs: 10_000,
  totalTimeoutMs: 60_000,
};

export type FetchOptions = Readonly<{ guard: AddressGuard; limits?: FetchLimits; signal?: AbortSignal }>;

/** What limits the requests for one source; they share its time limit. */
export type FetchBounds = Readonly<{ guard: AddressGuard; limits: FetchLimits; signal: AbortSignal }>;

type Headers = Readonly<Record<string, string>>;

/** How many interim responses, such as 103, a server may send before its response. */
const interimResponses = 32;

/**
 * Starts the time limit of one source. Returns what limits its requests, and `explain`, which converts their errors.
 */
export function beginFetch({ guard, limits = fetchLimits, signal }: FetchOptions): FetchBounds & {
  explain(error: unknown): ElementError;
} {
  const timeout = AbortSignal.timeout(limits.totalTimeoutMs);
  return {
    guard,
    limits,
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    explain(error) {
      signal?.throwIfAborted();
      if (timeout.aborted && !(error instanceof ElementError)) {
        return unreachable(`no complete answer within ${limits.totalTimeoutMs / 1000} s`);
      }
      return explainFault(error);
    },
  };
}

/** Converts the error of a failed request. */
export function explainFault(error: unknown): ElementError {
  if (error instanceof ElementError) return error;
  return unreachable((error as NodeJS.ErrnoException).code ?? 'connection failed');
}

/** A response, and the URL that it came from after redirects. */
export type HttpResponse = Readonly<{ response: http.IncomingMessage; url: URL }>;

/** Requests `url` and follows redirects; the address guard checks each hop again. */
export async function requestUrl(url: URL, headers: Headers, bounds: FetchBounds): Promise<HttpResponse> {
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

/**
 * The body of a response as it arrives. When it ends, even early, the response is closed. Iterating the response
 * itself would merge small pieces before they could be counted.
 *
 * @throws ElementError `source_unreachable` if it comes in too many small pieces; the error of the response.
 */
export function bodyPieces(response: http.IncomingMessage): AsyncIterable<Buffer> {
  const budget = new PieceBudget();
  const counted = new Transform({
    transform: (piece: Buffer, _encoding, done) =>
      budget.take(piece.length) ? done(null, piece) : done(unreachable('it comes in too many small pieces')),
  });
  counted.on('error', () => {}); // Whoever iterates receives it, possibly later.
  pipeline(response, counted, () => {});
  return counted;
}

/** The part of a file that a response contains, and the size of the whole file. */
export type GivenRange = Readonly<{ start: number; end: number; size: number }>;

/** Returns the part that a 206 response contains; null if the response does not state the total size. */
export function givenRange(headers: http.IncomingHttpHeaders): GivenRange | null {
  const [, first, last, size] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(headers['content-range'] ?? '') ?? [];
  return size === undefined ? null : { start: Number(first), end: Number(last) + 1, size: Number(size) };
}

function checkUrl(url: URL, guard: AddressGuard): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ElementError('source_forbidden', 'src must be an http or https URL', 'src');
  }
  if (url.username !== '' || url.password !== '') {
    throw new ElementError('source_forbidden', 'src must not contain a user name or password', 'src');
  }
  guard.checkHost(url.hostname);
}

function request(url: URL, headers: Headers, { guard, limits, signal }: FetchBounds): Promise<http.IncomingMessage> {
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
      // Otherwise, a body without a length would seem complete when the connection breaks.
      outgoing.once('error', (error) => response.destroy(error));
      resolve(response);
    });
    let interim = 0;
    outgoing.on('information', () => {
      interim += 1;
      if (interim > interimResponses) outgoing.destroy(unreachable('too many interim responses'));
    });
    outgoing.on('error', reject);
    outgoing.once('close', () => {
      clearTimeout(timer);
      reject(unreachable('no answer')); // For example status 101, which is neither a response nor an error.
    });
  });
}

/** The error for a source that is larger than allowed. */
export function tooLarge(maxBytes: number): ElementError {
  return new ElementError('too_large', `the source is larger than ${maxBytes / 2 ** 20} MiB`, 'src');
}

export function unreachable(reason: string): ElementError {
  return new ElementError('source_unreachable', `src cannot be read: ${reason}`, 'src');
}
