import type { ServerResponse } from 'node:http';
import { EndableSource } from './endable-source.ts';
import type { LiveLimits } from './limits.ts';

type EventStream<T> = Readonly<{
  source: AsyncIterator<T>;
  write(value: T): string;
  /** Sent after the last value of the source. */
  epilogue?: string;
  /**
   * Ends the stream cleanly, so that the client may reconnect. A reason that is a string is sent last; the client is
   * then not meant to reconnect.
   */
  stop: AbortSignal;
  /** Sent regularly, so that the stream is never silent. */
  heartbeat: string;
}>;

/**
 * Writes the values of a source until it ends, the client disconnects or the stream is stopped. The next value is
 * requested only after the client has taken the previous one, so little is ever buffered; a client that takes nothing for
 * too long is disconnected.
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
      if (!response.write(write(next.value)) && !(await isTaken())) response.destroy();
    }
    if (typeof stop.reason === 'string' && !response.destroyed) response.write(stop.reason);
    response.end();
  } finally {
    clearInterval(timer);
    response.off('close', end);
    stop.removeEventListener('abort', end);
    values.end();
    if (stop.aborted) leaveSoon(response, limits);
  }

  function isTaken(): Promise<boolean> {
    return new Promise((resolve) => {
      const timeout = setTimeout(() => settle(false), limits.stalledMs);
      const onDrain = () => settle(true);
      const settle = (taken: boolean) => {
        clearTimeout(timeout);
        response.off('drain', onDrain);
        resolve(taken);
      };
      wake = () => settle(true);
      response.once('drain', onDrain);
    });
  }
}

/** Closes the connection after `goodbyeMs`, even if the client does not read. */
function leaveSoon(response: ServerResponse, { goodbyeMs }: LiveLimits): void {
  const late = setTimeout(() => response.destroy(), goodbyeMs).unref();
  response.once('close', () => clearTimeout(late));
}
