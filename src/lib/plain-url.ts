/** An address without credentials, query and trailing slashes: the same for all ways to write the address of a server. */
export function plainUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}
