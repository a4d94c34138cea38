import { timing } from './registry.ts';
import type { Timing } from './series.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const other = methods.length;

/** Paths without a route share one name, since there is no limit to their number. */
export const unmatched = 'unmatched';

/** Keyed by route, then by status and method combined into one number. */
const routes = new Map<string, Map<number, Timing>>();

/** Counts one request. The series is looked up by numbers, and its labels are joined only once. */
export function observeRequest(method: string, route: string, status: number, began: number): void {
  let series = routes.get(route);
  if (series === undefined) routes.set(route, (series = new Map()));
  const known = methods.indexOf(method);
  const index = status * (other + 1) + (known === -1 ? other : known);
  let found = series.get(index);
  if (found === undefined) {
    found = timing('http_request_seconds', { method: methods[known] ?? 'other', route, status: String(status) });
    series.set(index, found);
  }
  found.observeSince(began);
}
