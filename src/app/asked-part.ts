import type { AskedPart } from '../catalog/index.ts';
import type { Exchange } from '../http/exchange.ts';

/** The byte range of a file that a request asks for; only GET has ranges (RFC 9110, 14.2). */
export function askedPartOf(exchange: Exchange): AskedPart {
  const range = exchange.method === 'GET' ? exchange.header('range') : undefined;
  return { range, condition: exchange.header('if-range') };
}
