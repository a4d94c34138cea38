import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { createAsset } from '../http/reply/asset.ts';
import { originOf } from '../http/request/origin.ts';
import type { HttpApi } from '../lib/http-api.ts';
import { renderApiDocsPage } from './api-docs-page.ts';
import type { ListedDocument } from './api-docs-page.ts';
import { createPage } from '../http/reply/page.ts';
import type { SendPage } from '../http/reply/page.ts';

/** The files of the package that the page needs; no others are served. */
const files = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
} as const;

const pathOfFile = (name: string) => `/docs/${name}`;

/** The paths of the pages about an API. */
export const apiDocsPaths: readonly string[] = ['/openapi.json', '/docs', ...Object.keys(files).map(pathOfFile)];

/** Revalidated by its tag on every use, and not shared between clients. */
const ownFresh = 'private, no-cache';
/**
 * Number of cached documents of a quarter megabyte each: a service has one or two addresses, but clients can send
 * any.
 */
const addressesKept = 8;
const aDay = 'public, max-age=86400';

/** Serves the document with the configured address, or else with the one that this client used. */
function createDocument({ serversOf }: HttpApi, build: () => object, baseUrl: string | undefined): SendPage {
  const assets = new LRUCache<string, SendPage>({ max: addressesKept });
  return (exchange) => {
    const address = baseUrl ?? originOf(exchange);
    const read = () => Buffer.from(JSON.stringify({ ...build(), servers: serversOf(address) }));
    const asset = assets.get(address ?? '') ?? createAsset({ type: 'application/json', cache: ownFresh, read });
    assets.set(address ?? '', asset);
    return asset(exchange);
  };
}

/**
 * Serves the OpenAPI document of an API, which is built at the first request for it, and the page to try it, which
 * loads nothing from elsewhere.
 *
 * @param baseUrl the configured address of the service, if any.
 */
export function createApiDocs(
  api: HttpApi,
  schema: GraphQLSchema,
  baseUrl: string | undefined,
): Readonly<Record<string, SendPage>> {
  const build = () => api.buildOpenApi({ schema });
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const served = Object.entries(files).map(([name, type]): [string, SendPage] => [
    pathOfFile(name),
    createAsset({ type, cache: aDay, read: () => readFile(join(folder, name)) }),
  ]);
  return {
    '/openapi.json': createDocument(api, build, baseUrl),
    // The document satisfies these types; a test renders the page.
    '/docs': createPage(() => renderApiDocsPage(build() as ListedDocument)),
    ...Object.fromEntries(served),
  };
}
