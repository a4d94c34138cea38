/** An address without credentials, query and final slashes: what the same server has in common however it is written. */
export function plainUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}
