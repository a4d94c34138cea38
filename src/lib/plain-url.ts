/**
 * A URL without credentials, query and trailing slashes, so that all spellings of a server's address become the same.
 */
export function plainUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}
