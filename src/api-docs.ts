import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createAsset } from './http/asset.ts';
import { createPage } from './http/page.ts';
import type { SendPage } from './http/page.ts';

/** What the page needs of the package; nothing else of it is served. */
const files = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const;

const pathOfFile = (name: string) => `/docs/${name}`;

/** The paths of the pages about REST. */
export const apiDocsPaths: readonly string[] = ['/openapi.json', '/docs', ...Object.keys(files).map(pathOfFile)];

/** Asked for again each time, at the price of its tag. */
const fresh = 'no-cache';
const aDay = 'public, max-age=86400';

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Vitrine: REST</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<style>
  body { margin: 0 }
  noscript { font: 17px/1.5 system-ui, sans-serif; display: block; margin: 12vh auto; max-width: 38rem }
</style>
<noscript>This page needs JavaScript; the document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<div id="docs"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script>
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
// Requests go to where this page comes from, whatever address is configured for other clients.
fetch('/openapi.json').then((answer) => answer.json()).then((spec) => SwaggerUIBundle({
  spec: { ...spec, servers: [{ url: location.origin }] },
  dom_id: '#docs',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  persistAuthorization: true,
  tryItOutEnabled: true,
  validatorUrl: null,
}));
</script>
</html>
`;

/** Serves the document that `build` makes at the first request for it, and the page to try it, without any other address. */
export function createApiDocs(build: () => unknown): Readonly<Record<string, SendPage>> {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const served = Object.entries(files).map(([name, type]): [string, SendPage] => [
    pathOfFile(name),
    createAsset({ type, cache: aDay, read: () => readFile(join(folder, name)) }),
  ]);
  return {
    '/openapi.json': createAsset({
      type: 'application/json',
      cache: fresh,
      read: () => Buffer.from(JSON.stringify(build())),
    }),
    '/docs': createPage(() => page),
    ...Object.fromEntries(served),
  };
}
