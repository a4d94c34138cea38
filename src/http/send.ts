import { STATUS_CODES } from 'node:http';
import { problemType } from '../lib/http-contract.ts';
import type { Reply } from '../lib/http-contract.ts';
import { writeJson } from '../lib/json/index.ts';
import { isLarge, jsonPieces } from '../lib/json-pieces.ts';
import { chooseEncoding, compress, compressFrom } from './compression.ts';
import { entityTagOf, namesTag, tagUpTo } from './entity-tag.ts';
import type { Exchange } from './exchange.ts';
import { asGraphQL } from './graphql-refusal.ts';
import { prefersProblem, toProblemDetails } from './problem-details.ts';
import { sendPieces } from './send-pieces.ts';

/** What is to be sent as text. */
export type Content = Readonly<{
  status: number;
  type: string;
  text: string;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Of what is shown, where that can be told. */
  version?: string | undefined;
}>;

/** What is to be sent as JSON. */
export type JsonContent = Omit<Content, 'text'> & Readonly<{ value: unknown; write?: typeof writeJson }>;

/** A reply belongs to its key, and is asked for again each time, at the price of its tag. */
const ownCaching = ['Cache-Control', 'private, no-cache'] as const;
const variesBy = 'Accept, Accept-Encoding, API-Key';

/** Sends JSON or bytes, or a status alone where the reply has no body. */
export function sendReply(exchange: Exchange, reply: Reply): Promise<void> | void {
  const { status, body, bytes, headers, version } = reply;
  const refusal = status >= 400 && exchange.isGraphQL ? asGraphQL(reply, exchange.header('accept')) : null;
  if (refusal !== null) return sendJson(exchange, { ...refusal, status, headers, write: JSON.stringify });
  if (status >= 400 && prefersProblem(exchange.header('accept'))) {
    const { requestId, target } = exchange;
    const details = toProblemDetails(reply, { requestId, target, title: STATUS_CODES[status] ?? '' });
    if (details !== null) return sendText(exchange, { status, type: problemType, text: writeJson(details), headers });
  }
  if (body !== undefined) {
    return sendJson(exchange, { status, type: 'application/json', value: body, headers, version });
  }
  if (bytes !== undefined) return sendBytes(exchange, status, bytes);
  finish(exchange, status, withOwn(exchange.headers(), headers), undefined);
}

/** Sends what is compressed already. */
function sendBytes(exchange: Exchange, status: number, { type, content }: NonNullable<Reply['bytes']>): void {
  const length = String(content.length);
  const own = [...ownCaching, ...exchange.vary(variesBy), 'Content-Type', type, 'Content-Length', length];
  finish(exchange, status, [...exchange.headers(), ...own], content);
}

/** Sends a value as JSON: at once, or in pieces where it is long. */
export function sendJson(exchange: Exchange, content: JsonContent): Promise<void> | void {
  const { status, type, value, headers, version, write = writeJson } = content;
  if (!isLarge(value)) return sendText(exchange, { status, type, text: write(value), headers, version });
  const lines = [...replyLines(exchange, headers), 'Content-Type', type];
  return sendPieces(exchange, status, withOwn(lines, headers), jsonPieces(value, write));
}

function replyLines(exchange: Exchange, headers: Reply['headers']): string[] {
  const lines = exchange.headers();
  if (headers?.['Cache-Control'] === undefined) lines.push(...ownCaching);
  lines.push(...exchange.vary(variesBy));
  return lines;
}

/**
 * Sends text with the tag of it for reads that succeed, or 304 when the client has it already;
 * compressed where the client can read that and it is long enough to be worth it.
 */
export function sendText(exchange: Exchange, { status, type, text, headers, version }: Content): Promise<void> | void {
  const { incoming, method } = exchange;
  const lines = replyLines(exchange, headers);
  if (status === 200 && text.length <= tagUpTo && (method === 'GET' || method === 'HEAD')) {
    const tag = entityTagOf(text, version);
    lines.push('ETag', tag);
    const known = incoming.headers['if-none-match'];
    if (known !== undefined && namesTag(known, tag)) return finish(exchange, 304, withOwn(lines, headers), undefined);
  }
  lines.push('Content-Type', type);
  if (text.length < compressFrom) {
    // As a string, a short body leaves in one packet with its headers.
    lines.push('Content-Length', String(Buffer.byteLength(text)));
    return finish(exchange, status, withOwn(lines, headers), text);
  }
  const encoding = chooseEncoding(incoming.headers['accept-encoding'] as string | undefined);
  const content = Buffer.from(text);
  if (encoding === 'identity') {
    lines.push('Content-Length', String(content.length));
    return finish(exchange, status, withOwn(lines, headers), content);
  }
  return compress(content, encoding).then((small) => {
    lines.push('Content-Encoding', encoding, 'Content-Length', String(small.length));
    finish(exchange, status, withOwn(lines, headers), small);
  });
}

function withOwn(lines: string[], headers: Reply['headers']): string[] {
  if (headers !== undefined) for (const name in headers) lines.push(name, headers[name] as string);
  return lines;
}

/** Writes head and body; a sender whose body is still coming gets a moment to end it. */
export function finish(
  exchange: Exchange,
  status: number,
  lines: readonly string[],
  content: string | Buffer | undefined,
): void {
  const { incoming, method, settings } = exchange;
  exchange.startReply(status, lines).end(method === 'HEAD' ? undefined : content);
  if (unreadBytes(incoming) === 0) return;
  const overdue = setTimeout(() => incoming.socket.destroy(), settings.limits.lingerMs).unref();
  incoming.once('close', () => clearTimeout(overdue)).resume();
  if (exchange.budgetOwner === null) stopAfter(incoming, settings.limits.anonymousBytes);
}

/** What a stranger sends is thrown away, and not even that for long: then its connection stands still until it ends. */
function stopAfter(incoming: Exchange['incoming'], bytes: number): void {
  let left = bytes;
  incoming.on('data', (piece: Buffer) => {
    left -= piece.length;
    if (left <= 0) incoming.pause();
  });
}

/** Bytes of the body that may still come; infinite where its length is not announced. */
function unreadBytes({ complete, headers }: Exchange['incoming']): number {
  if (complete) return 0;
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;
}
