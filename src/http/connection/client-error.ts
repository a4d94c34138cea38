import { STATUS_CODES } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { problemType } from '../../lib/http-contract.ts';
import type { Reply } from '../../lib/http-contract.ts';
import { fixedHeaders, requestIdOf } from '../reply/base-headers.ts';
import { replyOf } from './connections.ts';
import { asGraphQL } from '../reply/graphql-refusal.ts';
import { prefersProblem, toProblemDetails } from '../reply/problem-details.ts';
import { allMethods, graphqlPath, pathOf, targetOf } from '../request/routes.ts';
import type { AllowOf } from '../request/routes.ts';

/** The error that node:http reports for invalid requests. */
type ParseError = NodeJS.ErrnoException & Readonly<{ rawPacket?: Buffer; bytesParsed?: number; reason?: string }>;

/** Answers invalid input in the same form as every other error. */
export function createClientErrorHandler(lingerMs: number, allowOf: AllowOf): (error: Error, socket: Duplex) => void {
  return function answer(error, socket) {
    const busy = replyOf(socket as Socket);
    // Reset by the client, or already answered: discard further input.
    if (!socket.writable || (error as ParseError).code === 'ECONNRESET')
      return void (socket.writable && socket.destroy());
    if (busy !== null) {
      // A pipelined request before the bad one is complete and is answered first.
      if (busy.req.complete) return void busy.once('close', () => answer(error, socket));
      if (busy.headersSent) return void socket.destroy();
      // Its body is broken; the handler that waits for it has no client to answer.
      busy.detachSocket(socket as Socket);
      // Without a socket, it would never close, and its request would stay in memory.
      busy.destroy();
      busy.emit('close');
    }
    const { text, start } = packetOf(error);
    const head = text.slice(headStart(text, start));
    const requestId = requestIdOf(busy ? busy.req.headers['x-request-id'] : headerIn(head, 'x-request-id'));
    const accept = busy ? busy.req.headers.accept : headerIn(head, 'accept');
    const target = busy ? busy.req.url : requestLine.exec(head)?.[1];
    sendRaw(socket, explain(error, text, start, allowOf), { requestId, accept, target, lingerMs });
  };
}

/** `CONNECT` is for proxies. */
export function refuseConnect(request: IncomingMessage, socket: Duplex, lingerMs: number): void {
  const reply = { status: 405, body: { detail: 'Method Not Allowed' }, headers: { Allow: allMethods } };
  refuseRaw(request, socket, reply, lingerMs);
}

/** Answers a request for which node:http created no response, and ends its connection. */
export function refuseRaw(request: IncomingMessage, socket: Duplex, reply: Reply, lingerMs: number): void {
  const { accept, 'x-request-id': given } = request.headers;
  sendRaw(socket, reply, { requestId: requestIdOf(given), accept, target: request.url, lingerMs });
}

function explain(error: ParseError, text: string, start: number, allowOf: AllowOf): Reply {
  switch (error.code) {
    case 'HPE_INVALID_METHOD':
      return refuseMethod(text.slice(start), allowOf) ?? malformed('no such method');
    case 'HPE_HEADER_OVERFLOW':
      return isUrl(text, start, error.bytesParsed ?? 0) ? urlTooLong() : headersTooLarge();
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { status: 413, body: { detail: 'The chunk extensions are too large', code: 'too_large' } };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return timedOut();
    case 'HPE_PAUSED_H2_UPGRADE':
      return malformed('HTTP/2 is not supported here; let a proxy speak it');
    default:
      return malformed(error.reason ?? 'it cannot be parsed');
  }
}

/** 414, for the parser's limit and for our own. */
export function urlTooLong(): Reply {
  return { status: 414, body: { detail: 'The URL is too long', code: 'too_large' } };
}

/** 431, if the headers are too large or too many. */
export function headersTooLarge(): Reply {
  return { status: 431, body: { detail: 'The headers are too large or too many', code: 'too_large' } };
}

/** 408, for headers and for bodies. */
export function timedOut(): Reply {
  return { status: 408, body: { detail: 'The request did not arrive in time', code: 'timeout' } };
}

/** 400 for input that is not HTTP. */
export function malformed(reason: string): Reply {
  return { status: 400, body: { detail: `The request is not valid HTTP: ${reason}`, code: 'invalid_http' } };
}

/** A method, or the token in its place, and the target after it. */
const requestLine = /^[!#$%&'*+.^`|~\w-]+ +(\S+) +HTTP\/1\.[01]\r?\n/;

/** Refuses a method that HTTP does not know, or knows in upper case only. Null if the line contains no path. */
function refuseMethod(text: string, allowOf: AllowOf): Reply | null {
  const target = requestLine.exec(text)?.[1];
  if (target === undefined) return null;
  const allow = allowOf(targetOf(target));
  if (allow === null) return { status: 404, body: { detail: 'Not Found' } };
  return { status: 405, body: { detail: 'Method Not Allowed' }, headers: { Allow: allow } };
}

/** The invalid packet as text, and where the line begins at which the parser stopped. */
function packetOf({ rawPacket, bytesParsed = 0 }: ParseError): { text: string; start: number } {
  const text = rawPacket?.toString('latin1') ?? '';
  return { text, start: bytesParsed === 0 ? 0 : text.lastIndexOf('\n', bytesParsed - 1) + 1 };
}

/** Start of the request in which the parser stopped, as far as the packet contains it. */
function headStart(text: string, start: number): number {
  for (let at = start; ; at = text.lastIndexOf('\n', at - 2) + 1) {
    if (requestLine.test(text.slice(at))) return at;
    // The packet may begin with the end of a line; `lastIndexOf` takes a position below 0 as 0.
    if (at < 2) return start;
  }
}

/**
 * Whether the address was what overflowed. The parser does not report that and shows only the last packet: a line that
 * starts with a method, or continues without characters that an address cannot contain.
 */
function isUrl(text: string, start: number, end: number): boolean {
  const line = text.slice(start, end);
  if (start > 0) return /^[A-Z-]+ /.test(line);
  return /^[A-Z-]+ \S+$/.test(line) || (!/[\s:;"<>]/.test(line) && !text.startsWith('\r', end));
}

/** The first header of this name, in lower case; undefined if the packet does not contain it. */
function headerIn(head: string, name: string): string | undefined {
  const [headers = ''] = head.split('\r\n\r\n', 1);
  const [, ...lines] = headers.split('\r\n');
  const line = lines.find((each) => each.slice(0, name.length + 1).toLowerCase() === `${name}:`);
  return line?.slice(name.length + 1).trim();
}

type RawReplyOptions = Readonly<{
  requestId: string;
  accept: string | undefined;
  /** As sent, if it can be read. */
  target: string | undefined;
  lingerMs: number;
}>;

/**
 * Sends the reply, then ends the connection. Lingers, because a client that is still sending must not get a reset before it
 * has read the reply.
 */
function sendRaw(socket: Duplex, reply: Reply, { requestId, accept, target, lingerMs }: RawReplyOptions): void {
  const { status, headers } = reply;
  const title = STATUS_CODES[status] ?? '';
  const { type, value } = contentOf(reply, { requestId, accept, target, title });
  const content = JSON.stringify(value);
  const lines = [
    `HTTP/1.1 ${status} ${title}`,
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(content)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
    ...pairs(fixedHeaders).map(([name, value]) => `${name}: ${value}`),
    ...Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${content}`);
  socket.resume();
  const overdue = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(overdue));
}

type Occasion = Omit<RawReplyOptions, 'lingerMs'> & Readonly<{ title: string }>;

/** The body of a refusal, in the form for its path and `Accept`. */
function contentOf(
  reply: Reply,
  { requestId, accept, target = '', title }: Occasion,
): { type: string; value: unknown } {
  const own = pathOf(targetOf(target)) === graphqlPath ? asGraphQL(reply, accept) : null;
  if (own !== null) return own;
  const details = prefersProblem(accept) ? toProblemDetails(reply, { requestId, title }) : null;
  return details === null ? { type: 'application/json', value: reply.body } : { type: problemType, value: details };
}

function pairs(flat: readonly string[]): [string, string][] {
  return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i] ?? '', flat[2 * i + 1] ?? '']);
}

/** The answer to requests while the service ends. */
export const isStopping: Reply = {
  status: 503,
  body: { detail: 'The service is stopping', code: 'unavailable' },
  headers: { 'Retry-After': '5' },
};
