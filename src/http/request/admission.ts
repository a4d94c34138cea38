import type { Reply } from '../../lib/http-contract.ts';
import { headersTooLarge, urlTooLong } from '../connection/client-error.ts';
import type { Exchange } from '../exchange.ts';
import { framingFault } from '../connection/framing.ts';

/** Why a parsed request is refused before routing; null if it is not. */
export function refusalOf({ incoming, outgoing, settings: { limits, stopping } }: Exchange): Reply | null {
  const { headers, rawHeaders, url = '' } = incoming;
  const fault = framingFault(incoming);
  if (fault !== null) {
    outgoing.shouldKeepAlive = false;
    return fault;
  }
  if (url.length > limits.urlBytes) return urlTooLong();
  if (rawHeaders.length > 2 * limits.headers) return headersTooLarge();
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect)) {
    return { status: 417, body: { detail: 'Only Expect: 100-continue is supported', code: 'expectation_failed' } };
  }
  return stopping.aborted ? isStopping : null;
}

/** The answer to requests while the service ends. */
export const isStopping: Reply = {
  status: 503,
  body: { detail: 'The service is stopping', code: 'unavailable' },
  headers: { 'Retry-After': '5' },
};
