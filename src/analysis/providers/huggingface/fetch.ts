import { setTimeout as pause } from 'node:timers/promises';
import { fetchBy, hasNoBody } from '../../../lib/fetch-by.ts';
import type { Proxies } from '../../../lib/proxies.ts';
import type { ModelCost } from '../provider.ts';
import { ProviderError } from '../provider.ts';
import type { CallLimits } from './limits.ts';

/** Limits of one call to a model. */
export type Call = Readonly<{ limits: CallLimits; cost: ModelCost; proxies: Proxies; signal: AbortSignal }>;

/** Status codes for "too busy" and "the model is still loading". Another attempt may succeed. */
const busy: readonly number[] = [429, 502, 503, 504];

/**
 * A `fetch` for one call: retries failures that may be temporary, honors `Retry-After`, and reads the whole response
 * within the limits of time and size.
 */
export function createFetch({ limits, cost, proxies, signal }: Call): typeof fetch {
  async function attempt(input: RequestInfo | URL, init: RequestInit): Promise<Response> {
    const timeout = AbortSignal.timeout(limits.attemptMs);
    cost.requests += 1;
    cost.bytesSent += sizeOf(init.body);
    try {
      const response = await fetchBy(proxies, input, { ...init, signal: AbortSignal.any([signal, timeout]) });
      const body = await readBody(response, limits.maxBytes, cost);
      const { status, statusText, headers } = response;
      return new Response(hasNoBody(status) ? null : body, { status, statusText, headers });
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.aborted) throw new ProviderError('timeout', `no answer within ${limits.attemptMs / 1000} s`);
      throw error;
    }
  }

  return async (input, init = {}) => {
    for (let tries = 1; ; tries += 1) {
      const outcome = await attempt(input, init).catch((error: unknown) => error);
      const wait = pauseAfter(outcome, tries, limits);
      if (wait === null) {
        if (outcome instanceof Response) return outcome;
        throw outcome;
      }
      cost.retries += 1;
      await pause(wait, undefined, { signal });
    }
  };
}

/** Milliseconds until the next attempt, or null if this outcome is final. */
function pauseAfter(outcome: unknown, tries: number, limits: CallLimits): number | null {
  const mayPass = outcome instanceof Response ? busy.includes(outcome.status) : isBrokenConnection(outcome);
  if (!mayPass || tries >= limits.attempts) return null;
  const asked = outcome instanceof Response ? retryAfter(outcome.headers.get('retry-after')) : null;
  if (asked !== null) return asked > limits.maxPauseMs ? null : asked;
  // Random in the upper half, so that calls that were refused together do not retry together.
  const longest = Math.min(limits.pauseMs * 2 ** (tries - 1), limits.maxPauseMs);
  return longest * (0.5 + Math.random() / 2);
}

/** `fetch` fails with a TypeError if no response came; a timeout has already used up its time. */
function isBrokenConnection(error: unknown): boolean {
  return error instanceof TypeError;
}

/** Parses seconds or a date to milliseconds from now. */
function retryAfter(text: string | null): number | null {
  if (text === null) return null;
  const ms = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

async function readBody(response: Response, maxBytes: number, cost: ModelCost): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += piece.length;
    cost.bytesReceived += piece.length;
    if (size > maxBytes) throw new ProviderError('failed', `the answer is larger than ${maxBytes / 2 ** 20} MiB`);
    pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces, size));
}

function sizeOf(body: RequestInit['body']): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  return body instanceof Blob ? body.size : 0;
}
