import { replyOf } from './connections.ts';
import type { Connections } from './connections.ts';

/** A request that has no whole reply yet, as the log names it. */
export type RequestInProgress = Readonly<{
  requestId: string | null;
  method: string;
  /** Without its query, and not longer than is worth reading. */
  path: string;
  seconds: number;
}>;

/** What a response carries that this service makes. */
export type Marked = { requestId?: string; began?: number };

const longestPath = 200;

/** Requests whose reply is being made or taken; those first that have been under way for longest. */
export function requestsInProgress(connections: Connections): RequestInProgress[] {
  const found: RequestInProgress[] = [];
  for (const socket of connections) {
    const reply = replyOf(socket);
    if (reply === null) continue;
    const { method = '', url = '' } = reply.req;
    const { requestId = null, began = performance.now() } = reply as Marked;
    const path = (url.split('?', 1)[0] ?? '').slice(0, longestPath);
    found.push({ requestId, method, path, seconds: Math.round((performance.now() - began) / 100) / 10 });
  }
  return found.toSorted((a, b) => b.seconds - a.seconds);
}
