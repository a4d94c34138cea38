import type { IncomingMessage, ServerResponse } from 'node:http';
import { RoundRobin } from '../../lib/round-robin.ts';
import { canAnswer } from './in-order.ts';

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** Maximum time for starting requests in one iteration of the event loop, in milliseconds. */
const startMs = 10;

/**
 * Starts requests as they arrive, as long as that takes little time. Otherwise a thousand requests that arrive
 * together would all start in one iteration of the event loop, so those beyond `startMs` wait for the next iteration,
 * and work in progress continues in between. Credentials take turns, so that a caller with one request does not wait
 * for all requests of another.
 */
export function startStaggered(serve: Serve): Serve {
  /** Waiting requests, by credential. */
  const waiting = new RoundRobin<string, () => void>();
  /** When the first request of this iteration was started; null if there was none. */
  let began: number | null = null;

  const hasTime = () => began === null || performance.now() - began < startMs;

  function beginIteration(): void {
    began = performance.now();
    setImmediate(endIteration);
  }

  function endIteration(): void {
    began = null;
    if (waiting.isEmpty) return;
    beginIteration();
    startWaiting();
  }

  function startWaiting(): void {
    const start = waiting.take();
    if (start === undefined) return;
    start();
    // After everything that the request does before its first wait, because that takes time, too.
    queueMicrotask(() => process.nextTick(() => hasTime() && startWaiting()));
  }

  return (request, response) => {
    if (!waiting.isEmpty || !hasTime()) return wait(request, response);
    if (began === null) beginIteration();
    serve(request, response);
  };

  function wait(request: IncomingMessage, response: ServerResponse): void {
    const { 'api-key': key, cookie = '' } = request.headers;
    waiting.add(String(key ?? cookie), () => {
      if (canAnswer(request.socket)) serve(request, response);
    });
  }
}
