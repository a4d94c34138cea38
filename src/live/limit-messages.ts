import type { LiveLimits } from './limits.ts';

/**
 * Limits how many messages a client may send: a burst, then a sustained rate per second (a token bucket).
 *
 * @returns a function that counts a message and returns whether it is allowed.
 */
export function limitMessages({ messagesAtOnce, messagesPerSecond }: LiveLimits): () => boolean {
  let left = messagesAtOnce;
  let countedAt = performance.now();
  return () => {
    const now = performance.now();
    left = Math.min(messagesAtOnce, left + ((now - countedAt) / 1000) * messagesPerSecond);
    countedAt = now;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
