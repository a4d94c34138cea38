import type { ServerResponse } from 'node:http';
import type { LiveLimits } from './limits.ts';

export type EventStream<T> = Readonly<{
  source: AsyncIterator<T>;
  /** Bytes for the wire, or text. */
  write(value: T): string | Uint8Array;
  /** Ends the stream in good order: the client may connect again. */
  stop: AbortSignal;
  /** Sent while there is nothing else; for a source that keeps its connection open itself, none. */
  heartbeat?: string;
}>;

/**
 * Writes what a source gives until it ends, the client goes or the stream is stopped. The source is
 * asked for its next value only once the client has taken the one before, so little ever waits; a
 * client that takes nothing for too long is dropped.
 */
export async function sendEvents<T>(
  response: ServerResponse,
  { source, write, stop, heartbeat }: EventStream<T>,
  limits: LiveLimits,
): Promise<void> {
  let hasEnded = false;
  let wake = () => {};
  const end = () => {
    hasEnded = true;
    wake();
    Promise.resolve(source.return?.()).catch(() => {}); // What it says after its end concerns no one.
  };
  response.once('close', end);
  stop.addEventListener('abort', end, { once: true });
  if (stop.aborted || response.destroyed) end();
  const timer = setInterval(() => {
    if (heartbeat !== undefined && !response.writableNeedDrain) response.write(heartbeat);
  }, limits.heartbeatMs);
  try {
    while (!hasEnded) {
      const next = await source.next();
      if (hasEnded || next.done === true) break;
      if (!response.write(write(next.value)) && !(await isTaken(response, limits))) response.destroy();
    }
    response.end();
  } catch (error) {
    if (!hasEnded) throw error; // Else its source only noticed that it was told to end.
    response.end();
  } finally {
    clearInterval(timer);
    response.off('close', end);
    stop.removeEventListener('abort', end);
  }

  function isTaken(waiting: ServerResponse, { stalledMs }: LiveLimits): Promise<boolean> {
    return new Promise((resolve) => {
      const timeout = setTimeout(() => settle(false), stalledMs);
      const onDrain = () => settle(true);
      const settle = (taken: boolean) => {
        clearTimeout(timeout);
        waiting.off('drain', onDrain);
        resolve(taken);
      };
      wake = () => settle(true);
      waiting.once('drain', onDrain);
    });
  }
}
