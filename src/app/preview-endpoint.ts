import { ReplyError } from '../lib/http-contract.ts';
import type { Reply } from '../lib/http-contract.ts';
import type { PreviewFormat } from '../analysis/index.ts';
import { namesTag } from '../http/entity-tag.ts';
import type { Exchange } from '../http/exchange.ts';
import { rangeOf } from '../http/range.ts';
import { pathOf } from '../http/routes.ts';
import { finish, sendReply } from '../http/send.ts';
import { AppError, ElementError } from '../lib/errors.ts';
import { formatNamed, negotiate, previewTypes, widthNamed } from '../previews/index.ts';
import type { Address, Preview, Previews, PreviewWidth } from '../previews/index.ts';

/** Where previews are: `/previews/SIGNED/WIDTH` or `/previews/SIGNED/WIDTH.FORMAT`. */
const pattern = /^\/previews\/([\w-]{1,200})\/(\d{1,4})(?:\.(\w{1,8}))?$/;

type Asked = Readonly<{ address: Address; width: PreviewWidth; format: PreviewFormat; isNegotiated: boolean }>;

/** Answers `/previews/…` with pictures. An address that is not right says nothing but that. */
export function createPreviewEndpoint(previews: Previews | undefined): (exchange: Exchange) => Promise<void> {
  return async (exchange) => {
    const asked = previews === undefined ? null : await read(exchange, previews);
    if (asked === null || previews === undefined) return sendReply(exchange, forbidden);
    const { address, width, format } = asked;
    exchange.chargeTo({ tenantId: address.tenantId, keyId: 0 });
    const tag = `"${address.checksum}-${width}-${format}"`;
    const known = exchange.incoming.headers['if-none-match'];
    // What a tag stands for never changes: nothing is made to find that out.
    if (known !== undefined && namesTag(known, tag)) {
      return finish(exchange, 304, headersOf(exchange, asked, { tag, isCurrent: true }), undefined);
    }
    const preview = await previews.read({ shown: address, width, format }).catch(refuse);
    if (preview === null) return sendReply(exchange, gone);
    send(exchange, asked, preview, tag);
  };
}

async function read(exchange: Exchange, previews: Previews): Promise<Asked | null> {
  const [, text = '', width = '', name] = pattern.exec(pathOf(exchange.target)) ?? [];
  const [step, format] = [widthNamed(width), name === undefined ? undefined : formatNamed(name)];
  if (step === undefined || (name !== undefined && format === undefined)) return null;
  const address = await previews.verify(text);
  if (address === null) return null;
  return { address, width: step, format: format ?? negotiate(exchange.header('accept')), isNegotiated: !name };
}

function send(exchange: Exchange, asked: Asked, { bytes, isCurrent }: Preview, tag: string): void {
  const lines = headersOf(exchange, asked, { tag, isCurrent });
  lines.push('Content-Type', previewTypes[asked.format], 'Accept-Ranges', 'bytes');
  const range = rangeOf(exchange.header('range'), exchange.header('if-range'), { length: bytes.length, tag });
  if (range === null) {
    lines.push('Content-Length', String(bytes.length));
    return finish(exchange, 200, lines, bytes);
  }
  if (range === 'unsatisfiable') {
    lines.push('Content-Range', `bytes */${bytes.length}`, 'Content-Length', '0');
    return finish(exchange, 416, lines, undefined);
  }
  const { start, end } = range;
  lines.push('Content-Range', `bytes ${start}-${end - 1}/${bytes.length}`, 'Content-Length', String(end - start));
  finish(exchange, 206, lines, bytes.subarray(start, end));
}

type Version = Readonly<{ tag: string; isCurrent: boolean }>;

function headersOf(exchange: Exchange, { address, isNegotiated }: Asked, { tag, isCurrent }: Version): string[] {
  const seconds = Math.floor((address.expiresAt.getTime() - Date.now()) / 1000);
  const lines = [...exchange.headers()];
  if (isNegotiated) lines.push(...exchange.vary('Accept'));
  // A file that was changed behind its record is shown, but not for long.
  if (isCurrent) lines.push('Cache-Control', `private, max-age=${seconds}, immutable`, 'ETag', tag);
  else lines.push('Cache-Control', 'no-store');
  return lines;
}

const forbidden: Reply = { status: 403, body: { detail: 'Forbidden' } };
const gone: Reply = { status: 404, body: { detail: 'There is no picture any more', code: 'not_found' } };

/** Why a preview cannot be made. @throws ReplyError */
function refuse(error: unknown): never {
  if (error instanceof ElementError) {
    throw new ReplyError({ status: 404, body: { detail: error.message, code: error.code } });
  }
  if (error instanceof AppError) {
    const { message, code } = error;
    const status = code === 'unavailable' ? 503 : 429;
    throw new ReplyError({ status, body: { detail: message, code }, headers: { 'Retry-After': '5' } });
  }
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    const detail = 'The preview was not made within 60 seconds';
    throw new ReplyError({ status: 503, body: { detail, code: 'timeout' }, headers: { 'Retry-After': '5' } });
  }
  throw error;
}
