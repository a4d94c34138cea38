import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip, gunzip } from 'node:zlib';
import { loadOnce } from '../../lib/load-once.ts';
import { chooseEncoding, compress } from './compression.ts';
import type { ContentEncoding } from './compression.ts';
import { entityTagOf, isKnown } from './entity-tag.ts';
import type { Exchange } from '../exchange.ts';
import { redirectPage } from './redirect.ts';
import { endReply } from './send.ts';

/** Sends a page to a browser. */
export type SendPage = (exchange: Exchange) => Promise<void>;

/** The compressed page, and its uncompressed length. */
type Ready = Readonly<{ tag: string; policy: string; length: number; gzip: Buffer; brotli(): Promise<Buffer> }>;

/**
 * A page that is built at its first request and cached compressed. Its scripts are inline or come from this server; the
 * policy lists the hashes of the inline scripts, so that an injected script does not run.
 */
export function createPage(render: () => string | Promise<string>): SendPage {
  const load = loadOnce(async () => prepare(await render()));
  return async (exchange) => {
    const name = /([^/]+)\/$/.exec(exchange.target.split('?', 1)[0] ?? '')?.[1];
    if (name !== undefined) return redirectPage(exchange, `../${name}`);
    const { tag, policy, length, gzip, brotli } = await load();
    const { headers } = exchange.incoming;
    const lines = [
      ...exchange.headers(),
      ...['ETag', tag, 'Cache-Control', 'no-cache', ...exchange.vary('Accept, Accept-Encoding')],
      ...['Content-Security-Policy', policy, 'Referrer-Policy', 'no-referrer', 'X-Frame-Options', 'DENY'],
    ];
    if (isKnown(exchange.incoming, tag)) return endReply(exchange, 304, lines, undefined);
    const encoding: ContentEncoding = chooseEncoding(headers['accept-encoding']);
    lines.push('Content-Type', 'text/html; charset=utf-8');
    if (encoding === 'identity') {
      lines.push('Content-Length', String(length));
      return sendInflated(exchange, lines, gzip);
    }
    const content = encoding === 'gzip' ? gzip : await brotli();
    lines.push('Content-Length', String(content.length), 'Content-Encoding', encoding);
    endReply(exchange, 200, lines, content);
  };
}

/**
 * Sends a page in pieces, no faster than it is read: GraphiQL takes 9 MB, which would otherwise be buffered for each client.
 */
async function sendInflated(exchange: Exchange, lines: readonly string[], gzip: Buffer): Promise<void> {
  if (exchange.method === 'HEAD') return endReply(exchange, 200, lines, undefined);
  const outgoing = exchange.startReply(200, lines);
  await pipeline(Readable.from([gzip]), createGunzip(), outgoing);
}

async function prepare(html: string): Promise<Ready> {
  const content = Buffer.from(html);
  const gzip = await compress(content, 'gzip', { isPage: true });
  return {
    tag: entityTagOf(html),
    policy: policyOf(html),
    length: content.length,
    gzip,
    // The page itself is not kept: GraphiQL takes 9 MB.
    brotli: loadOnce(async () => compress(await promisify(gunzip)(gzip), 'br', { isPage: true })),
  };
}

/** The Content-Security-Policy of a page. Editors write style attributes, so styles cannot be listed by hash. */
export function policyOf(html: string): string {
  const scripts = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/gi)];
  const hashes = scripts.map(([, script = '']) => `'sha256-${hash('sha256', script, 'base64')}'`);
  return [
    "default-src 'none'",
    ["script-src 'self'", ...hashes].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "manifest-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
