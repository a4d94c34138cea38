import { request as plainRequest } from 'node:http';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Socket } from 'node:net';
import { connect } from 'node:tls';
import { proxyOf } from './proxies.ts';
import type { Proxies } from './proxies.ts';

type RequestSettings = Readonly<{
  headers: Readonly<Record<string, string>>;
  proxies: Proxies;
  /** Maximum time without data, in milliseconds. */
  idleMs: number;
  signal: AbortSignal;
  /** GET if absent. */
  method?: string;
  body?: Uint8Array;
}>;

/**
 * Sends a request, through the proxy that is configured for its address, and returns the response; redirects are returned,
 * too. The body fails, as this function does, if nothing arrives for `idleMs` or the signal is aborted. It has to be read or
 * destroyed.
 *
 * @throws the error of the connection
 */
export async function httpRequest(url: URL, options: RequestSettings): Promise<IncomingMessage> {
  const { headers, proxies, signal, method = 'GET', body } = options;
  const proxy = proxyOf(url, proxies);
  const length = body === undefined ? {} : { 'Content-Length': String(body.length) };
  const common = { method, headers: { ...headers, ...length, Host: url.host }, signal };
  if (proxy === null) return answerOf(begin(url, common), options);
  if (url.protocol === 'http:') {
    // A proxy expects the whole URL instead of a path, and `auth` is for the server behind it.
    const path = `${url.origin}${url.pathname}${url.search}`;
    const asked = { ...common, path, auth: loginOf(url), headers: { ...common.headers, ...credentialsFor(proxy) } };
    return answerOf(begin(proxy, asked), options);
  }
  const tunnel = await openTunnel(url, proxy, options);
  // Without an agent, which would open its own connections.
  const createConnection = () => connect({ socket: tunnel, servername: url.hostname });
  return answerOf(secureRequest(url, { ...common, createConnection }), options);
}

function begin(url: URL, options: RequestOptions): ClientRequest {
  // A separate connection: fetched files are large, and a finished process should exit.
  const own = { ...options, agent: false as const };
  return url.protocol === 'https:' ? secureRequest(url, own) : plainRequest(url, own);
}

function answerOf(request: ClientRequest, { idleMs, body }: RequestSettings): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let answer: IncomingMessage | undefined;
    request.setTimeout(idleMs, () => (answer ?? request).destroy(stalled(idleMs)));
    request.on('error', reject);
    request.on('response', (message) => {
      answer = message;
      // A reader of the body receives its error; if nobody reads it, the error does not matter.
      message.on('error', () => {});
      resolve(message);
    });
    request.end(body);
  });
}

/** Opens a connection to a server through a proxy. */
function openTunnel(url: URL, proxy: URL, { idleMs, signal }: RequestSettings): Promise<Socket> {
  const to = `${url.hostname}:${url.port === '' ? '443' : url.port}`;
  return new Promise((resolve, reject) => {
    const headers = { Host: to, ...credentialsFor(proxy) };
    const request = begin(proxy, { method: 'CONNECT', path: to, auth: null, headers, signal });
    request.setTimeout(idleMs, () => request.destroy(stalled(idleMs)));
    request.on('error', reject);
    request.on('connect', ({ statusCode }, socket) => {
      socket.on('error', reject);
      socket.setTimeout(0); // From here on, the request sets the timeout.
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new Error(`the proxy ${proxy.host} answers ${statusCode}`));
    });
    request.on('response', (answer) => {
      answer.destroy();
      reject(new Error(`the proxy ${proxy.host} answers ${answer.statusCode}`));
    });
    request.end();
  });
}

/** The header with the credentials of a proxy, if its address has any. */
function credentialsFor(proxy: URL): Record<string, string> {
  const login = loginOf(proxy);
  return login === null ? {} : { 'Proxy-Authorization': `Basic ${Buffer.from(login).toString('base64')}` };
}

/** User name and password of an address, separated by a colon; null if it has none. */
function loginOf({ username, password }: URL): string | null {
  return username === '' ? null : `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
}

function stalled(idleMs: number): Error {
  return new Error(`nothing arrived for ${Math.round(idleMs / 1000)} s`);
}
