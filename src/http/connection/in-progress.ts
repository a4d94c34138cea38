import { replyOf } from './connections.ts';
import type { Connections } from './connections.ts';

/** A request whose reply is incomplete, as the log shows it. */
export type RequestInProgress = Readonly<{
  requestId: string | null;
  method: string;
  /** Without the query, and truncated. */
  path: string;
  seconds: number;
}>;

/** Properties that this service adds to response objects. */
export type Marked = { requestId?: string; began?: number };

const longestPath = 200;

/** Requests whose reply is being produced or read, oldest first. */
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
