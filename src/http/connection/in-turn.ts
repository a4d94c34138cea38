import type { IncomingMessage, ServerResponse } from 'node:http';
import { canAnswer } from './in-order.ts';

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** How long an iteration of the event loop starts requests, in milliseconds. */
const startMs = 10;

/**
 * Starts requests as they arrive while that takes little time. A thousand that arrive together would otherwise all be
 * started in one iteration of the event loop: those beyond `startMs` wait for the next one, so that what is under way
 * goes on between them. Credentials take turns, so that a caller with one request does not wait for all of another's.
 */
export function inTurn(serve: Serve): Serve {
  /** What waits, by credential; the one that was served longest ago comes first. */
  const lines = new Map<string, (() => void)[]>();
  /** When the first request of this iteration began to be served; null if there was none. */
  let began: number | null = null;

  const hasTime = () => began === null || performance.now() - began < startMs;

  function beginIteration(): void {
    began = performance.now();
    setImmediate(endIteration);
  }

  function endIteration(): void {
    began = null;
    if (lines.size === 0) return;
    beginIteration();
    startWaiting();
  }

  function startWaiting(): void {
    const [first] = lines;
    if (first === undefined) return;
    const [credential, line] = first;
    const next = line.shift();
    lines.delete(credential);
    if (line.length > 0) lines.set(credential, line);
    next?.();
    // After all that the request does before it waits for something: that takes time, too.
    queueMicrotask(() => process.nextTick(() => hasTime() && startWaiting()));
  }

  return (request, response) => {
    if (lines.size > 0 || !hasTime()) return wait(request, response);
    if (began === null) beginIteration();
    serve(request, response);
  };

  function wait(request: IncomingMessage, response: ServerResponse): void {
    const { 'api-key': key, cookie = '' } = request.headers;
    const credential = String(key ?? cookie);
    const start = () => {
      if (canAnswer(request.socket)) serve(request, response);
    };
    const line = lines.get(credential);
    if (line === undefined) lines.set(credential, [start]);
    else line.push(start);
  }
}
