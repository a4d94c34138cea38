import { STATUS_CODES } from 'node:http';
import { problemType } from '../../lib/http-contract.ts';
import type { Reply } from '../../lib/http-contract.ts';
import { PieceBudget } from '../../lib/piece-budget.ts';
import { writeJson } from '../../lib/json/index.ts';
import { isLargeJson, jsonPieces } from '../../lib/json-pieces.ts';
import { chooseEncoding, compress, compressFrom } from './compression.ts';
import { entityTagOf, isKnown, tagUpTo } from './entity-tag.ts';
import type { Exchange } from '../exchange.ts';
import { asGraphQL } from './graphql-refusal.ts';
import { prefersProblem, toProblemDetails } from './problem-details.ts';
import { sendPieces } from './send-pieces.ts';

/** A reply with a text body. */
type Content = Readonly<{
  status: number;
  type: string;
  text: string;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Version of the resource in the body, with which its entity tag starts. */
  version?: string | undefined;
}>;

/** A reply with a JSON body. */
type JsonContent = Omit<Content, 'text'> & Readonly<{ value: unknown; write?: typeof writeJson }>;

/** A reply is private to its key and must be revalidated by its tag. */
const ownCaching = ['Cache-Control', 'private, no-cache'] as const;
const variesBy = 'Accept, Accept-Encoding, API-Key';

/** Sends JSON or bytes, or only a status if the reply has no body. */
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
  endReply(exchange, status, withOwn(exchange.headers(), headers), undefined);
}

/** Sends a body that is not JSON, as it is. */
function sendBytes(exchange: Exchange, status: number, { type, content }: NonNullable<Reply['bytes']>): void {
  const length = String(content.length);
  const own = [...ownCaching, ...exchange.vary(variesBy), 'Content-Type', type, 'Content-Length', length];
  endReply(exchange, status, [...exchange.headers(), ...own], content);
}

/** Sends a value as JSON: at once, or in pieces if it is long. */
export function sendJson(exchange: Exchange, content: JsonContent): Promise<void> | void {
  const { status, type, value, headers, version, write = writeJson } = content;
  if (!isLargeJson(value)) return sendText(exchange, { status, type, text: write(value), headers, version });
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
 * Sends text, with its tag for successful reads, or 304 if the client already has it; compressed if the client accepts that
 * and the text is long enough.
 */
function sendText(exchange: Exchange, { status, type, text, headers, version }: Content): Promise<void> | void {
  const { incoming, method } = exchange;
  const lines = replyLines(exchange, headers);
  // As a string, a short body is sent in one packet with its headers; a long one is converted to bytes only once.
  const content = text.length < compressFrom ? text : Buffer.from(text);
  if (status === 200 && text.length <= tagUpTo && (method === 'GET' || method === 'HEAD')) {
    const tag = entityTagOf(content, version);
    lines.push('ETag', tag);
    if (isKnown(incoming, tag)) return endReply(exchange, 304, withOwn(lines, headers), undefined);
  }
  lines.push('Content-Type', type);
  if (typeof content === 'string') {
    lines.push('Content-Length', String(Buffer.byteLength(content)));
    return endReply(exchange, status, withOwn(lines, headers), content);
  }
  const encoding = chooseEncoding(incoming.headers['accept-encoding']);
  if (encoding === 'identity') {
    lines.push('Content-Length', String(content.length));
    return endReply(exchange, status, withOwn(lines, headers), content);
  }
  return compress(content, encoding).then((small) => {
    lines.push('Content-Encoding', encoding, 'Content-Length', String(small.length));
    endReply(exchange, status, withOwn(lines, headers), small);
  });
}

function withOwn(lines: string[], headers: Reply['headers']): string[] {
  if (headers !== undefined) for (const name in headers) lines.push(name, headers[name] as string);
  return lines;
}

/** Writes head and body; a client that is still sending its body gets a moment to finish. */
export function endReply(
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
  if (exchange.budgetOwner === null) return stopAfter(incoming, settings.limits.anonymousBytes);
  // Discarding bytes at full speed would let a client on the same machine keep a processor busy.
  stopAfter(incoming, Infinity, exchange.inSlices());
}

/** Discards a limited amount of input, then pauses its connection until it is closed. */
function stopAfter(incoming: Exchange['incoming'], bytes: number, take: (piece: Buffer) => void = () => {}): void {
  let left = bytes;
  let isOver = false;
  const budget = new PieceBudget();
  incoming.on('data', (piece: Buffer) => {
    if (isOver) return;
    left -= piece.length;
    isOver = left <= 0 || !budget.take(piece.length);
    if (isOver) incoming.pause();
    else take(piece);
  });
}

/** Remaining bytes of the request body; infinite if its length was not announced. */
function unreadBytes({ complete, headers }: Exchange['incoming']): number {
  if (complete) return 0;
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;
}
