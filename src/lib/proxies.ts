import { SetupError } from './errors.ts';

/** Values of HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
export type Proxies = Readonly<{
  https: string | undefined;
  http: string | undefined;
  /** Hosts that are reached directly: a domain and its subdomains, with or without a port; `*` for all. */
  none: readonly string[];
}>;

/**
 * The proxy for requests to an address; null if they go there directly.
 *
 * @throws SetupError if the setting is not the address of an HTTP proxy
 */
export function proxyOf({ protocol, hostname, port }: URL, { https, http, none }: Proxies): URL | null {
  const isSecure = protocol === 'https:';
  const given = isSecure ? https : http;
  const own = port === '' ? (isSecure ? '443' : '80') : port;
  if (given === undefined || none.some((each) => names(each, hostname, own))) return null;
  const variable = isSecure ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const text = given.includes('://') ? given : `http://${given}`;
  if (URL.canParse(text) && /^https?:/.test(text)) return new URL(text);
  throw new SetupError(`${variable} is not an HTTP proxy. Set an address such as http://proxy.example.com:3128.`);
}

/** Whether an item of NO_PROXY matches a host: the host itself, or a domain that contains it. */
function names(item: string, host: string, port: string): boolean {
  if (item === '*') return true;
  const [, name = '', only] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(item.toLowerCase()) ?? [];
  if (name === '' || (only !== undefined && only !== port)) return false;
  return host === name || host.endsWith(`.${name}`);
}
