import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { markStreamed } from '../http/connection/connections.ts';
import { isKnown } from '../http/reply/entity-tag.ts';
import type { Exchange } from '../http/exchange.ts';
import { pathOf } from '../http/request/routes.ts';
import { endReply, sendReply } from '../http/reply/send.ts';
import type { ByteRange } from '../lib/byte-range.ts';
import type { Previews, VideoStream } from '../previews/index.ts';
import { forbiddenReply, gone, refuseShown } from './refuse-shown.ts';
import { askedPartOf } from './asked-part.ts';

/** Path of video files: `/files/SIGNED`. */
const pattern = /^\/files\/([\w-]{1,200})$/;

/** Streams video files, or parts of them. */
export function createFileEndpoint(previews: Previews | undefined): (exchange: Exchange) => Promise<void> {
  return async (exchange) => {
    const [, text = ''] = pattern.exec(pathOf(exchange.target)) ?? [];
    const address = (await previews?.verify('file', text)) ?? null;
    if (previews === undefined || address === null) return sendReply(exchange, forbiddenReply);
    exchange.chargeTo({ tenantId: address.tenantId, keyId: 0 });
    const asked = askedPartOf(exchange);
    const stream = await previews.stream(address, asked, exchange.signal).catch(refuseShown);
    if (stream === null) return sendReply(exchange, gone);
    try {
      await sendFile(exchange, stream);
    } finally {
      await stream.close();
    }
  };
}

/** Sends a file, or the requested range of it. @param headers for this kind of file */
export async function sendFile(
  exchange: Exchange,
  stream: VideoStream,
  headers: readonly string[] = [],
): Promise<void> {
  const { size, tag, part } = stream;
  // The cached copy must be revalidated: the file may be replaced without a change of its record.
  const lines = [...exchange.headers(), 'Cache-Control', 'private, no-cache', ...headers];
  if (tag !== null) lines.push('ETag', tag);
  if (tag !== null && isKnown(exchange.incoming, tag)) return endReply(exchange, 304, lines, undefined);
  if (part === 'unsatisfiable') {
    lines.push('Content-Range', `bytes */${size ?? '*'}`, 'Content-Length', '0');
    return endReply(exchange, 416, lines, undefined);
  }
  lines.push(...headersOf(stream, part));
  const status = part === null ? 200 : 206;
  if (exchange.method === 'HEAD') return endReply(exchange, status, lines, undefined);
  const reply = exchange.startReply(status, lines);
  markStreamed(reply);
  await pipeline(Readable.from(stream.bytes(), { objectMode: false }), reply, { signal: exchange.signal });
}

/** The headers that describe the content of a reply with a file or a range of it. */
function headersOf({ size, hasParts, type }: VideoStream, part: ByteRange | null): string[] {
  const lines = ['Content-Type', type, 'Accept-Ranges', hasParts ? 'bytes' : 'none'];
  const length = part === null ? size : part.end - part.start;
  if (length !== null) lines.push('Content-Length', String(length));
  if (part !== null) lines.push('Content-Range', `bytes ${part.start}-${part.end - 1}/${size ?? '*'}`);
  return lines;
}
