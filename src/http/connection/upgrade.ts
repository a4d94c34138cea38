import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { graphqlPath, pathOf } from '../request/routes.ts';

/** Headers that offer another protocol, including the settings of HTTP/2. */
const offers: ReadonlySet<string> = new Set(['upgrade', 'http2-settings']);

/** Whether an upgrade asks for the only supported protocol: GraphQL by WebSocket. */
export function asksForWebSocket({ method, url = '', headers }: IncomingMessage): boolean {
  return method === 'GET' && pathOf(url) === graphqlPath && tokensOf(headers.upgrade).includes('websocket');
}

/** Requests with a body whose offer was ignored. */
const ignored = new WeakSet<IncomingMessage>();

/**
 * Whether node:http passes a request with an offer to the `upgrade` listener. Node 26 gives that listener a
 * connection without the body of the request, so a request with a body is treated as an ordinary one.
 */
export function mayUpgrade(request: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  if (coding === undefined && Number(length) === 0) return true;
  ignored.add(request);
  return false;
}

/**
 * Closes the connection after the reply to a request with a body whose offer was ignored: node:http drops what was
 * pipelined behind it in the same packet, and could then mistake the middle of a later request for its start.
 */
export function endIgnoredOffer(request: IncomingMessage, response: ServerResponse): void {
  if (ignored.has(request)) response.shouldKeepAlive = false;
}

/**
 * Serves a request as if it had not offered another protocol, which RFC 9110 (7.8) allows.
 *
 * If there is a listener for upgrades, node:http considers HTTP on the connection to be over after any such request.
 * So the connection is handed to the server again, which reads the request without the offer, and then whatever
 * follows.
 */
export function ignoreUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  // Left over from its former use: the idle timeout and its listener.
  (socket as Socket).setTimeout(0);
  socket.removeAllListeners('timeout');
  socket.unshift(Buffer.concat([Buffer.from(headOf(request), 'latin1'), head]));
  server.emit('connection', socket);
}

/** The head of a request as it was sent, without the offer. */
function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2);
    const lower = name.toLowerCase();
    if (offers.has(lower)) continue;
    const kept = lower === 'connection' ? tokensOf(value).filter((token) => !offers.has(token)) : [value];
    if (kept.length > 0) lines.push(`${name}: ${kept.join(', ')}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function tokensOf(value = ''): string[] {
  return value.split(',').map((token) => token.trim().toLowerCase());
}
