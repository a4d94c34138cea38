import { Readable } from 'node:stream';
import { httpRequest } from './http-request.ts';
import { proxyOf } from './proxies.ts';
import type { Proxies } from './proxies.ts';

/** How long nothing may arrive through a proxy, in milliseconds; the caller's signal is usually earlier. */
const idleMs = 60_000;

/**
 * `fetch` through the proxy that is set for an address, which that of Node does not do; redirects of a proxied request
 * are not followed.
 *
 * @throws TypeError if no answer came; SetupError for a wrong proxy; the signal's reason.
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
    const isEmpty = status === 204 || status === 304;
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
