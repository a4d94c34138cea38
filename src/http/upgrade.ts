import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pathOf } from './routes.ts';

/** Headers of an offer to speak something else from here on, and of the settings of HTTP/2 that come with it. */
const offers: ReadonlySet<string> = new Set(['upgrade', 'http2-settings']);

/** Whether a request that offers to speak something else asks for the one thing that can be spoken: GraphQL by WebSocket. */
export function asksForWebSocket({ method, url = '', headers }: IncomingMessage): boolean {
  return method === 'GET' && pathOf(url) === '/graphql' && tokensOf(headers.upgrade).includes('websocket');
}

/**
 * Serves a request as if it had not offered to speak something else, which RFC 9110 (7.8) lets a server ignore.
 *
 * node:http takes every such request for the end of HTTP on its connection, as soon as anyone listens for one. So the
 * connection is given to the server once more, and reads the request again without the offer, then what follows it.
 */
export function ignoreUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  // Of the use before: a time-out of an idle connection, and what was to happen then.
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
