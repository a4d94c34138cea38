import type http from 'node:http';
import pLimit from 'p-limit';
import { readUpTo } from '../../lib/read-up-to.ts';
import { blockBytes, createBlockReader } from './block-reader.ts';
import { beginFetch, givenRange, bodyPieces, requestUrl, tooLarge, unreachable } from './http-request.ts';
import type { FetchBounds, FetchOptions, GivenRange } from './http-request.ts';
import type { OpenSource } from './open-source.ts';

/** Downloading this much costs no more than a few range requests. */
const smallBytes = 4 * 2 ** 20;
const accept = { accept: 'video/*,*/*;q=0.5' };

/**
 * Opens `src` for random access: with range requests if the server supports them, otherwise by reading from the
 * beginning as far as needed. Every request passes the address guard, and together they share the time and byte
 * limits of one source.
 *
 * @throws ElementError `source_forbidden`, `source_unreachable` or `too_large`.
 */
export async function openUrl(src: string, options: FetchOptions): Promise<OpenSource> {
  const { explain, ...bounds } = beginFetch(options);
  try {
    const opened = await open(new URL(src), bounds);
    return {
      ...opened,
      read: (start, end) =>
        opened.read(start, end).catch((error: unknown) => {
          throw explain(error);
        }),
    };
  } catch (error) {
    throw explain(error);
  }
}

async function open(src: URL, bounds: FetchBounds): Promise<OpenSource> {
  const { response, url } = await requestUrl(src, { ...accept, range: `bytes=0-${blockBytes - 1}` }, bounds);
  const { statusCode, headers } = response;
  if (statusCode === 200) return openStream(response, bounds);
  if (statusCode === 206) {
    const range = givenRange(headers);
    if (range?.start === 0) return openRanges(url, response, range, bounds);
  }
  response.destroy();
  // The file is empty.
  if (statusCode === 416 && headers['content-range']?.trim() === 'bytes */0') return nothing;
  throw unreachable(statusCode === 206 ? 'the server returned a different range' : `the server answered ${statusCode}`);
}

const nothing: OpenSource = {
  size: 0,
  isSeekable: true,
  read: () => Promise.reject(unreachable('it is empty')),
  bytesRead: () => 0,
  close: async () => {},
};

async function openRanges(
  url: URL,
  response: http.IncomingMessage,
  { size, end }: GivenRange,
  bounds: FetchBounds,
): Promise<OpenSource> {
  const { maxBytes } = bounds.limits;
  const { etag } = response.headers;
  // A weak tag may stay the same although bytes change.
  const unchanged: Readonly<Record<string, string>> =
    etag === undefined || etag.startsWith('W/') ? {} : { 'if-range': etag };
  let taken = 0;

  async function take(from: http.IncomingMessage, length: number): Promise<Buffer> {
    taken += length;
    if (taken > maxBytes) {
      from.destroy();
      throw tooLarge(maxBytes);
    }
    return readExactly(from, length);
  }

  async function fetchRange(start: number, stop: number): Promise<Buffer> {
    const range = `bytes=${start}-${stop - 1}`;
    const { response: answer } = await requestUrl(url, { ...accept, ...unchanged, range }, bounds);
    const given = answer.statusCode === 206 ? givenRange(answer.headers) : null;
    if (given === null || given.start !== start || given.end !== stop || given.size !== size) {
      answer.destroy();
      throw unreachable('it changed while it was being read');
    }
    return take(answer, stop - start);
  }

  if (end !== Math.min(size, blockBytes)) {
    response.destroy();
    throw unreachable('the server returned a different range');
  }
  const read = createBlockReader({ size, first: await take(response, end), fetchRange });
  return { size, isSeekable: true, read, bytesRead: () => taken, close: async () => {} };
}

async function readExactly(response: http.IncomingMessage, length: number): Promise<Buffer> {
  const bytes = await readUpTo(bodyPieces(response), length, () =>
    unreachable('the server returned a different range'),
  );
  if (bytes.length < length) throw unreachable('the reply is cut off');
  return bytes;
}

/** Opens a response without range support. Bytes that are skipped are kept, because readers go back. */
async function openStream(response: http.IncomingMessage, { limits: { maxBytes } }: FetchBounds): Promise<OpenSource> {
  response.on('error', () => {}); // The error may occur between two reads; the next read throws it.
  const parts = bodyPieces(response)[Symbol.asyncIterator]();
  let kept = Buffer.alloc(0);
  let filled = 0;

  /** Reads on until `length` bytes are available or the response ends. */
  async function fill(length: number): Promise<void> {
    while (filled < length) {
      const { value: part, done } = await parts.next();
      if (done === true) return;
      if (filled + part.length > maxBytes) {
        response.destroy();
        throw tooLarge(maxBytes);
      }
      if (filled + part.length > kept.length) {
        const larger = Buffer.allocUnsafe(
          Math.min(maxBytes, Math.max(2 * kept.length, filled + part.length, blockBytes)),
        );
        kept.copy(larger, 0, 0, filled);
        kept = larger;
      }
      part.copy(kept, filled);
      filled += part.length;
    }
  }

  const declared = response.headers['content-length'];
  // Without a content length, only the end of the body tells the size.
  if (declared === undefined) await fill(Infinity);
  const size = declared === undefined ? filled : Number(declared);
  const alone = pLimit(1);
  return {
    size,
    isSeekable: size <= smallBytes,
    read: (start, end) =>
      alone(async () => {
        await fill(end);
        if (filled < end) throw unreachable('the reply is cut off');
        return kept.subarray(start, end);
      }),
    bytesRead: () => filled,
    close: async () => {
      response.destroy();
    },
  };
}
