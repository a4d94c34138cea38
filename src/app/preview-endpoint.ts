import type { PreviewFormat } from '../analysis/index.ts';
import { isKnown } from '../http/reply/entity-tag.ts';
import type { Exchange } from '../http/exchange.ts';
import { rangeOf } from '../lib/byte-range.ts';
import { pathOf } from '../http/request/routes.ts';
import { endReply, sendReply } from '../http/reply/send.ts';
import { forbiddenReply, gone, refuseShown } from './refuse-shown.ts';
import { formatNamed, negotiate, previewTypes, widthNamed } from '../previews/index.ts';
import type { Address, Preview, PreviewKind, Previews, PreviewWidth } from '../previews/index.ts';
import { askedPartOf } from './asked-part.ts';

/**
 * Paths of previews: `/previews/SIGNED/WIDTH`, `/previews/SIGNED/WIDTH.FORMAT`, and of filmstrips:
 * `/previews/SIGNED/filmstrip-WIDTH`.
 */
const pattern = /^\/previews\/([\w-]{1,200})\/(filmstrip-)?(\d{1,4})(?:\.(\w{1,8}))?$/;

type Asked = Readonly<{
  address: Address;
  kind: PreviewKind;
  width: PreviewWidth;
  format: PreviewFormat;
  isNegotiated: boolean;
}>;

/** Serves pictures at `/previews/…`. Every invalid address gets the same reply, which discloses nothing. */
export function createPreviewEndpoint(previews: Previews | undefined): (exchange: Exchange) => Promise<void> {
  return async (exchange) => {
    const asked = previews === undefined ? null : await read(exchange, previews);
    if (asked === null || previews === undefined) return sendReply(exchange, forbiddenReply);
    const { address, kind, width, format } = asked;
    exchange.chargeTo({ tenantId: address.tenantId, keyId: 0 });
    const tag = `"${address.fileId}-${kind === 'picture' ? '' : `${kind}-`}${width}-${format}"`;
    // The content for a tag never changes, so no preview is created for the comparison.
    if (isKnown(exchange.incoming, tag)) {
      return endReply(exchange, 304, headersOf(exchange, asked, { tag, isCurrent: true }), undefined);
    }
    const preview = await previews.read({ shown: address, kind, width, format }).catch(refuseShown);
    if (preview === null) return sendReply(exchange, gone);
    send(exchange, asked, preview, tag);
  };
}

async function read(exchange: Exchange, previews: Previews): Promise<Asked | null> {
  const [, text = '', filmstrip, width = '', name] = pattern.exec(pathOf(exchange.target)) ?? [];
  const kind = filmstrip === undefined ? 'picture' : 'filmstrip';
  const [step, format] = [widthNamed(width, kind), name === undefined ? undefined : formatNamed(name)];
  if (step === undefined || (name !== undefined && format === undefined)) return null;
  const address = await previews.verify('preview', text);
  if (address === null || (kind === 'filmstrip' && address.resource !== 'video')) return null;
  return { address, kind, width: step, format: format ?? negotiate(exchange.header('accept')), isNegotiated: !name };
}

function send(exchange: Exchange, asked: Asked, { bytes, isCurrent }: Preview, tag: string): void {
  const lines = headersOf(exchange, asked, { tag, isCurrent });
  lines.push('Content-Type', previewTypes[asked.format], 'Accept-Ranges', 'bytes');
  const part = askedPartOf(exchange);
  const range = rangeOf(part.range, part.condition, { length: bytes.length, tag });
  if (range === null) {
    lines.push('Content-Length', String(bytes.length));
    return endReply(exchange, 200, lines, bytes);
  }
  if (range === 'unsatisfiable') {
    lines.push('Content-Range', `bytes */${bytes.length}`, 'Content-Length', '0');
    return endReply(exchange, 416, lines, undefined);
  }
  const { start, end } = range;
  lines.push('Content-Range', `bytes ${start}-${end - 1}/${bytes.length}`, 'Content-Length', String(end - start));
  endReply(exchange, 206, lines, bytes.subarray(start, end));
}

type Version = Readonly<{ tag: string; isCurrent: boolean }>;

function headersOf(exchange: Exchange, { address, isNegotiated }: Asked, { tag, isCurrent }: Version): string[] {
  const seconds = Math.floor((address.expiresAt.getTime() - Date.now()) / 1000);
  const lines = [...exchange.headers()];
  if (isNegotiated) lines.push(...exchange.vary('Accept'));
  // If the file was changed without its record, the preview is shown, but not cached.
  if (isCurrent) lines.push('Cache-Control', `private, max-age=${seconds}, immutable`, 'ETag', tag);
  else lines.push('Cache-Control', 'no-store');
  return lines;
}
