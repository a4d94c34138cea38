import type { Reply } from '../../lib/http-contract.ts';
import { headersTooLarge, isStopping, urlTooLong } from '../connection/client-error.ts';
import type { Exchange } from '../exchange.ts';
import { framingFault } from '../connection/framing.ts';
import { exceedsHeaderLimits } from '../connection/header-limits.ts';

/** Why a parsed request is refused before routing; null if it is not. */
export function refusalOf({ incoming, outgoing, settings: { limits, stopping } }: Exchange): Reply | null {
  const { headers, rawHeaders, url = '' } = incoming;
  // Must come first: beyond the limit, node:http drops headers, perhaps including the host.
  const fault = exceedsHeaderLimits(rawHeaders, limits) ? headersTooLarge() : framingFault(incoming);
  if (fault !== null) {
    outgoing.shouldKeepAlive = false;
    return fault;
  }
  if (url.length > limits.urlBytes) return urlTooLong();
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect)) {
    return { status: 417, body: { detail: 'Only Expect: 100-continue is supported', code: 'expectation_failed' } };
  }
  return stopping.aborted ? isStopping : null;
}
