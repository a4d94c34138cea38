/**
 * A URL without credentials, query and trailing slashes, so that all spellings of a server's address become the same.
 */
export function plainUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

/** Whether a text is the URL of a web server. */
export function isWebUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** The host of a server's address as its own machine writes it in a URL, even if it listens everywhere. */
export function ownHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
}
