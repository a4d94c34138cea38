import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** The pages about REST: `/openapi.json`, `/docs` and what that needs. */
export type ApiDocs = Readonly<{
  has(path: string): boolean;
  answer(path: string, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>;
}>;

type File = Readonly<{ headers: Readonly<Record<string, string>>; plain: Buffer; zipped: Buffer }>;

const types = { html: 'text/html; charset=utf-8', css: 'text/css', js: 'text/javascript', png: 'image/png' };

/** What the page needs of the package; nothing else of it is served. */
const assets: Readonly<Record<string, keyof typeof types>> = {
  'swagger-ui.css': 'css',
  'swagger-ui-bundle.js': 'js',
  'favicon-32x32.png': 'png',
};

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Vitrine: REST</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<div id="docs"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</html>
`;

const start = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
});
`;

/** Scripts of this address only, calls to this address and to BASE_URL: a key is typed into this page. */
function contentPolicy(baseUrl: string | undefined): string {
  const calls = baseUrl === undefined ? "'self'" : `'self' ${new URL(baseUrl).origin}`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src ${calls}`,
  ].join('; ');
}

const ask = 'no-cache';
const aDay = 'public, max-age=86400';

/** Serves the document that `build` makes at the first request for it, and the page to try it. */
export function createApiDocs(build: () => unknown, baseUrl?: string): ApiDocs {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const text = (content: string, type: string, cache: string, more: Record<string, string> = {}) =>
    compress(Buffer.from(content), { 'Content-Type': type, 'Cache-Control': cache, ...more });
  const readPage = () => text(page, types.html, ask, { 'Content-Security-Policy': contentPolicy(baseUrl) });
  const makers = new Map<string, () => Promise<File>>([
    [
      '/openapi.json',
      () => text(JSON.stringify(build()), 'application/json', ask, { 'Access-Control-Allow-Origin': '*' }),
    ],
    ['/docs', readPage],
    ['/docs/', readPage],
    ['/docs/start.js', () => text(start, types.js, ask)],
    ...Object.entries(assets).map(([name, type]): [string, () => Promise<File>] => [
      `/docs/${name}`,
      async () => compress(await readFile(join(folder, name)), { 'Content-Type': types[type], 'Cache-Control': aDay }),
    ]),
  ]);
  const made = new Map<string, Promise<File>>();

  return {
    has: (path) => makers.has(path),
    async answer(path, incoming, outgoing) {
      if (incoming.method !== 'GET' && incoming.method !== 'HEAD') return refuseMethod(incoming, outgoing);
      let file = made.get(path);
      const make = makers.get(path);
      if (file === undefined && make !== undefined) made.set(path, (file = make()));
      if (file !== undefined) sendFile(await file, incoming, outgoing);
    },
  };
}

async function compress(plain: Buffer, headers: Record<string, string>): Promise<File> {
  const tag = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  const shared = { Vary: 'Accept-Encoding', ETag: `"${tag}"`, 'X-Content-Type-Options': 'nosniff' };
  return { headers: { ...headers, ...shared }, plain, zipped: await promisify(gzip)(plain) };
}

function sendFile({ headers, plain, zipped }: File, incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (incoming.headers['if-none-match']?.includes(headers['ETag'] ?? '?') === true) {
    outgoing.writeHead(304, headers).end();
    return;
  }
  const isZipped = /\bgzip\b/.test(String(incoming.headers['accept-encoding'] ?? ''));
  const content = isZipped ? zipped : plain;
  const encoding = isZipped ? { 'Content-Encoding': 'gzip' } : {};
  outgoing.writeHead(200, { ...headers, ...encoding, 'Content-Length': content.length });
  outgoing.end(incoming.method === 'HEAD' ? undefined : content);
}

function refuseMethod(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const headers = { Allow: 'GET, HEAD, OPTIONS' };
  if (incoming.method === 'OPTIONS') {
    outgoing.writeHead(204, headers).end();
    return;
  }
  const body = JSON.stringify({ detail: 'Method Not Allowed' });
  outgoing.writeHead(405, { ...headers, 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
}
