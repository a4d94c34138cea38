import type { ApiRequest } from '../../lib/http-contract.ts';

/** Host and optional port: a name, an IPv4 address, or an IPv6 address in brackets. */
const hostForm = /^(?:[a-z0-9_.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * The origin at which the client reached the service, such as `https://pictures.example.com`: from a proxy's
 * `X-Forwarded-Proto` and `X-Forwarded-Host`, or else plain HTTP and `Host`. Null if none of them contains a host. The
 * client can set all of them, so use it only for content that this client alone sees.
 */
export function originOf(request: Pick<ApiRequest, 'header'>): string | null {
  const protocol = forwarded(request, 'proto')?.toLowerCase() === 'https' ? 'https' : 'http';
  const hosts = [forwarded(request, 'host'), request.header('host')];
  const host = hosts.find((name) => name !== undefined && hostForm.test(name));
  const origin = `${protocol}://${host}`;
  return host !== undefined && URL.canParse(origin) ? origin : null;
}

/** What the first of several proxies forwarded: each may append its own value. */
function forwarded(request: Pick<ApiRequest, 'header'>, what: 'proto' | 'host'): string | undefined {
  return request.header(`x-forwarded-${what}`)?.split(',')[0]?.trim();
}
