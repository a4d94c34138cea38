import { hash } from 'node:crypto';
import type http from 'node:http';
import { isOneRange } from '../../lib/byte-range.ts';
import { explainFault, fetchLimits, givenRange, bodyPieces, requestUrl, unreachable } from './http-request.ts';
import type { FetchOptions } from './http-request.ts';
import type { AskedPart, SourceStream } from './source-stream.ts';

/** After this many milliseconds without data, a server is given up on. */
const idleMs = 30_000;
const accept = 'video/*,*/*;q=0.5';

/**
 * Opens `src`, or the requested part of it, to forward it. Every request passes the address guard. The server must
 * start to answer within the time limit of one source. There is no limit on bytes, because only a few are in memory
 * at a time.
 *
 * @throws ElementError `source_forbidden` or `source_unreachable`.
 */
export async function streamUrl(src: string, options: FetchOptions, asked: AskedPart): Promise<SourceStream> {
  const range = asked.range !== undefined && isOneRange(asked.range) ? asked.range : undefined;
  const response = await begin(src, options, range);
  const tag = tagOf(response.headers);
  // Parts of two different versions would not fit together.
  if (range !== undefined && asked.condition !== undefined && asked.condition !== tag) {
    response.destroy();
    return streamUrl(src, options, {});
  }
  try {
    return { ...contentOf(response), tag, close: async () => void response.destroy() };
  } catch (error) {
    response.destroy();
    throw error;
  }
}

async function begin(src: string, options: FetchOptions, range: string | undefined): Promise<http.IncomingMessage> {
  const { guard, limits = fetchLimits } = options;
  const late = new AbortController();
  // Only the start of the response has a time limit: all of it may take as long as a film.
  const timer = setTimeout(() => late.abort(), limits.totalTimeoutMs);
  const signal = options.signal === undefined ? late.signal : AbortSignal.any([options.signal, late.signal]);
  const headers = { accept, ...(range !== undefined && { range }) };
  try {
    const { response } = await requestUrl(new URL(src), headers, { guard, limits, signal });
    response.on('error', () => {}); // The error may occur before the first read, which then throws it.
    response.socket.setTimeout(idleMs, () => response.destroy(unreachable(`nothing was sent for ${idleMs / 1000} s`)));
    return response;
  } catch (error) {
    options.signal?.throwIfAborted();
    throw late.signal.aborted ? unreachable(`no answer within ${limits.totalTimeoutMs / 1000} s`) : explainFault(error);
  } finally {
    clearTimeout(timer);
  }
}

function contentOf(response: http.IncomingMessage): Omit<SourceStream, 'tag' | 'close'> {
  const { statusCode, headers } = response;
  if (statusCode === 206) {
    const given = givenRange(headers);
    if (given === null) throw unreachable('the server returned a range without its place');
    const { size, ...part } = given;
    return { size, part, hasParts: true, bytes: () => bytesOf(response, part.end - part.start) };
  }
  if (statusCode === 416) {
    const [, size] = /^bytes \*\/(\d{1,15})$/.exec(headers['content-range'] ?? '') ?? [];
    return { size: size === undefined ? null : Number(size), part: 'unsatisfiable', hasParts: true, bytes: nothing };
  }
  if (statusCode !== 200) throw unreachable(`the server answered ${statusCode}`);
  const length = headers['content-length'];
  const size = length === undefined ? null : Number(length);
  return { size, part: null, hasParts: headers['accept-ranges'] === 'bytes', bytes: () => bytesOf(response, size) };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function* bytesOf(response: http.IncomingMessage, length: number | null): AsyncGenerator<Uint8Array> {
  let sent = 0;
  try {
    for await (const piece of bodyPieces(response)) {
      sent += piece.length;
      if (length !== null && sent > length) throw unreachable('the server sent more than it announced');
      yield piece;
    }
  } finally {
    response.destroy();
  }
  if (length !== null && sent < length) throw unreachable('the reply is cut off');
}

/** Returns a tag derived from the server's, which is itself not passed on. */
function tagOf({ etag, 'last-modified': changed }: http.IncomingHttpHeaders): string | null {
  const mark = etag !== undefined && !etag.startsWith('W/') ? etag : changed;
  return mark === undefined ? null : `"${hash('sha256', mark, 'base64url').slice(0, 22)}"`;
}
