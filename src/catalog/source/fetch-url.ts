import type http from 'node:http';
import { readUpTo } from '../../lib/read-up-to.ts';
import { beginFetch, bodyPieces, requestUrl, tooLarge, unreachable } from './http-request.ts';
import type { FetchBounds, FetchOptions } from './http-request.ts';

/**
 * Downloads `src`. The address guard checks each hop of a redirect again.
 *
 * @throws ElementError `source_forbidden`, `source_unreachable` or `too_large`.
 */
export async function fetchUrl(src: string, options: FetchOptions): Promise<Buffer> {
  const { explain, ...bounds } = beginFetch(options);
  try {
    return await download(new URL(src), bounds);
  } catch (error) {
    throw explain(error);
  }
}

async function download(url: URL, bounds: FetchBounds): Promise<Buffer> {
  const { response } = await requestUrl(url, { accept: 'image/*,*/*;q=0.5' }, bounds);
  if (response.statusCode !== 200) {
    response.destroy();
    throw unreachable(`the server answered ${response.statusCode}`);
  }
  return readBody(response, bounds.limits.maxBytes);
}

async function readBody(response: http.IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) {
    response.destroy();
    throw tooLarge(maxBytes);
  }
  return readUpTo(bodyPieces(response), maxBytes, () => tooLarge(maxBytes));
}
