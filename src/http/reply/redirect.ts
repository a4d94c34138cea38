import type { Exchange } from '../exchange.ts';
import { sendReply } from './send.ts';

/**
 * Redirects a page to the address that its relative links are written for. The address is relative, too: a proxy may serve
 * Vitrine below a path that only the browser knows.
 */
export function redirectPage(exchange: Exchange, address: string): Promise<void> | void {
  const query = exchange.target.indexOf('?');
  const location = query === -1 ? address : address + exchange.target.slice(query);
  return sendReply(exchange, { status: 308, headers: { Location: location, 'Cache-Control': 'no-cache' } });
}
