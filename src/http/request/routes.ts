export const graphqlPath = '/graphql';

/** All methods of a target's path, for `Allow`; null if the path does not exist. */
export type AllowOf = (target: string) => string | null;

/** For requests without a path: `OPTIONS *`, `CONNECT`. */
export const allMethods = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT';

/** The path of a target, without a trailing slash. */
export function pathOf(target: string): string {
  const end = target.indexOf('?');
  const path = end === -1 ? target : target.slice(0, end);
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** Path and query of a URL: clients send the whole URL when they use a proxy. */
export function targetOf(url: string): string {
  if (url.charCodeAt(0) === slash) return url;
  const origin = /^https?:\/\/[^/?#]*/i.exec(url)?.[0];
  if (origin === undefined) return url;
  const rest = url.slice(origin.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

const slash = 47;
