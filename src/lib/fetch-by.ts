import { Readable } from 'node:stream';
import { httpRequest } from './http-request.ts';
import { proxyOf } from './proxies.ts';
import type { Proxies } from './proxies.ts';

/** Maximum time without data through a proxy, in milliseconds; the caller's signal usually fires earlier. */
const idleMs = 60_000;

/** Whether the `fetch` standard forbids a body with a status; a response with one would be a TypeError. */
export function hasNoBody(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

/**
 * `fetch` through the proxy that is configured for an address, which Node's own `fetch` does not support; redirects of a
 * proxied request are not followed.
 *
 * @throws TypeError if there was no answer; SetupError for an invalid proxy; the signal's reason.
 */
export async function fetchBy(proxies: Proxies, input: RequestInfo | URL, init: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const url = new URL(request.url);
  if (proxyOf(url, proxies) === null) return fetch(input, init);
  const { method, signal } = request;
  const headers = Object.fromEntries(request.headers);
  const body = request.body === null ? {} : { body: new Uint8Array(await request.arrayBuffer()) };
  try {
    const answer = await httpRequest(url, { method, headers, ...body, proxies, idleMs, signal });
    const said = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as [string, string]);
    const { statusCode: status = 502, statusMessage: statusText = '' } = answer;
    const isEmpty = hasNoBody(status);
    if (isEmpty) answer.resume();
    return new Response(isEmpty ? null : (Readable.toWeb(answer) as ReadableStream), {
      status,
      statusText,
      headers: said,
    });
  } catch (error) {
    signal.throwIfAborted();
    throw new TypeError('fetch failed', { cause: error });
  }
}
