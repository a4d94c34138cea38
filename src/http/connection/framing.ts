import type { IncomingMessage } from 'node:http';
import type { Reply } from '../../lib/http-contract.ts';
import { malformed } from './client-error.ts';

/** A host as in RFC 3986, 3.2.2: a name or an address, which may be in brackets, and an optional port. */
const hostPattern = /^[\w.~!$&'()*+,;=%:[\]-]*$/;

/**
 * Why two servers could interpret a request differently although node:http accepts it: because of the length of its body,
 * its host, or its version (RFC 9112, 2.3, 3.2, 6.1). Null if it is unambiguous. The connection must end with the refusal,
 * because the start of the next request is ambiguous, too.
 */
export function framingFault({ headers, rawHeaders, httpVersion }: IncomingMessage): Reply | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return malformed(`its version is ${httpVersion}, not 1.1 or 1.0`);
  const { host, 'transfer-encoding': codings } = headers;
  if (host === undefined) {
    if (httpVersion === '1.1') return malformed('the Host header is missing');
  } else if (!hostPattern.test(host)) return malformed('the Host header is invalid');
  else if (hasTwoHosts(rawHeaders)) return malformed('it has more than one Host header');
  return codings === undefined ? null : codingFault(codings, httpVersion);
}

/** If there are several Host headers, node:http silently keeps the first. */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count > 1;
}

function codingFault(value: string, httpVersion: string): Reply | null {
  if (httpVersion === '1.0') return malformed('Transfer-Encoding does not exist in HTTP/1.0');
  const codings = value.split(',').map((coding) => coding.trim().toLowerCase());
  const last = codings.pop();
  if (last !== 'chunked') return malformed('its Transfer-Encoding does not end in chunked');
  if (codings.includes('chunked')) return malformed('its body is chunked twice');
  if (codings.length === 0) return null;
  const detail = `The body has the transfer coding ${codings[0]?.slice(0, 50)}; only chunked is known`;
  return { status: 501, body: { detail, code: 'not_implemented' } };
}
