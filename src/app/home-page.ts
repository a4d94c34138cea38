import { favicon } from './favicon.ts';

import type { HttpApi } from '../lib/http-api.ts';

/** What a browser finds at the root: where everything is. */
export function renderHomePage(apis: readonly Pick<HttpApi, 'name'>[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Vitrine</title>
<link rel="icon" href="${favicon}">
<style>
  body { font: 17px/1.5 system-ui, sans-serif; max-width: 38rem; margin: 12vh auto; padding: 0 1.5rem; color: #222; }
  h1 { font-weight: 600; letter-spacing: -.02em }
  a { color: #0a58ca; text-decoration: none } a:hover { text-decoration: underline }
  dt { font-weight: 600; margin-top: 1rem } dd { margin: 0 }
  code { background: #f2f2f2; padding: .1em .35em; border-radius: 4px }
  @media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd } code { background: #2a2a2a } a { color: #7db3ff } }
</style>
<h1>Vitrine</h1>
<p>Media catalog, search and tagging. Every request carries an API key in the header <code>API-Key</code>;
whoever runs the service makes them: <code>vitrine key create</code>.</p>
<dl>
  <dt><a href="/graphql">GraphiQL</a></dt><dd>Explore the GraphQL schema and try queries, at <code>/graphql</code>.</dd>
${apis.map(describe).join('')}  <dt><a href="/ready">Readiness</a></dt><dd>Whether the services behind it answer.</dd>
</dl>
</html>
`;
}

function describe({ name }: Pick<HttpApi, 'name'>): string {
  return `  <dt><a href="/docs">${name}</a></dt><dd>Read about every endpoint and try it, at <code>/docs</code>; for programs, <a href="/openapi.json">OpenAPI 3.1</a>.</dd>\n`;
}
