import type { ServerResponse } from 'node:http';
import { EndableSource } from './endable-source.ts';
import type { LiveLimits } from './limits.ts';

export type EventStream<T> = Readonly<{
  source: AsyncIterator<T>;
  write(value: T): string;
  /** Sent once the source has given its last value. */
  epilogue?: string;
  /** Ends the stream cleanly: the client may reconnect. */
  stop: AbortSignal;
  /** Sent while there is nothing else. */
  heartbeat: string;
}>;

/**
 * Writes what a source gives until it ends, the client goes or the stream is stopped. The source is
 * asked for its next value only once the client has taken the one before, so little ever waits; a
 * client that takes nothing for too long is dropped.
 */
export async function sendEvents<T>(
  response: ServerResponse,
  { source, write, epilogue, stop, heartbeat }: EventStream<T>,
  limits: LiveLimits,
): Promise<void> {
  const values = new EndableSource(source);
  let hasEnded = false;
  let wake = () => {};
  const end = () => {
    hasEnded = true;
    wake();
    values.end();
  };
  response.once('close', end);
  stop.addEventListener('abort', end, { once: true });
  if (stop.aborted || response.destroyed) end();
  const timer = setInterval(() => {
    if (!response.writableNeedDrain) response.write(heartbeat);
  }, limits.heartbeatMs);
  try {
    while (!hasEnded) {
      const next = await values.next();
      if (hasEnded) break;
      if (next.done === true) {
        if (epilogue !== undefined) response.write(epilogue);
        break;
      }
      if (!response.write(write(next.value)) && !(await isTaken(response, limits))) response.destroy();
    }
    response.end();
  } finally {
    clearInterval(timer);
    response.off('close', end);
    stop.removeEventListener('abort', end);
    values.end();
    if (stop.aborted) leaveSoon(response, limits);
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

/** A client that does not read cannot prevent the end. */
function leaveSoon(response: ServerResponse, { goodbyeMs }: LiveLimits): void {
  const late = setTimeout(() => response.destroy(), goodbyeMs).unref();
  response.once('close', () => clearTimeout(late));
}
