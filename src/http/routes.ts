import { createRouter, endpoints } from '../../rest/index.ts';
import { apiDocsPaths } from '../app/api-docs.ts';

const reads = ['GET', 'HEAD', 'OPTIONS'];

export const graphqlPath = '/graphql';

/** Paths that are served here and not by REST, with the methods that each has. */
export const ownPaths: ReadonlyMap<string, readonly string[]> = new Map([
  ['/', reads],
  [graphqlPath, [...reads, 'POST']],
  ['/health', reads],
  ['/ready', reads],
  ['/metrics', reads],
  ...apiDocsPaths.map((path) => [path, reads] as const),
]);

/** For requests about no path in particular: `OPTIONS *`, `CONNECT`. */
export const allMethods = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT';

const route = createRouter(endpoints);

/** Every method of a target's path, as `Allow` lists them; null where nothing is served. */
export function allowOf(target: string): string | null {
  if (target === '*') return allMethods;
  return ownPaths.get(pathOf(target))?.join(', ') ?? route(target)?.allow() ?? null;
}

/** The path of a target; one slash at the end makes no difference. */
export function pathOf(target: string): string {
  const end = target.indexOf('?');
  const path = end === -1 ? target : target.slice(0, end);
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** Clients of proxies send the whole address; what counts here is path and query. */
export function targetOf(url: string): string {
  if (url.charCodeAt(0) === slash) return url;
  const origin = /^https?:\/\/[^/?#]*/i.exec(url)?.[0];
  if (origin === undefined) return url;
  const rest = url.slice(origin.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

const slash = 47;
