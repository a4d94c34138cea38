import type { Endpoint, Input } from './endpoints.ts';
import { toReply } from './errors.ts';
import type { ExecutionError } from './errors.ts';
import type { Reply } from './problems.ts';

/** One server-sent event. */
export type ServerEvent = Readonly<{ id: number; event: string; data: unknown }>;

/** What a browser is told to wait before it connects again. */
const retryMs = 2_000;

type ExecutionResult = Readonly<{
  data?: Readonly<Record<string, unknown>> | null | undefined;
  errors?: readonly ExecutionError[] | undefined;
}>;

/** A stream of results of a subscription, or the one result that says why there is none. */
export type Subscribed = AsyncIterator<ExecutionResult> | ExecutionResult;

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Proxies are asked to hold nothing back.
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

/**
 * The reply to a request for events: a stream of them, or the error in place of it. A stream that
 * ends before its first event is 204, which tells a browser not to ask again.
 */
export async function toStreamReply(
  { stream }: Extract<Endpoint, { stream: unknown }>,
  subscribed: Subscribed,
  input: Input,
  requestId: string,
): Promise<Reply> {
  if (!('next' in subscribed)) {
    const [error = { message: 'no stream and no error' }] = subscribed.errors ?? [];
    return toReply(error, requestId);
  }
  const first = subscribed.next();
  const atOnce = await Promise.race([first, new Promise<null>((resolve) => setImmediate(resolve, null))]);
  if (atOnce?.done === true) return { status: 204 };
  const write = (value: unknown) => {
    const { data, errors } = value as ExecutionResult;
    if (errors !== undefined || !data) throw new Error(`an event failed: ${errors?.[0]?.message}`);
    return toText(stream(data, input));
  };
  return {
    status: 200,
    headers,
    stream: { source: after(first, subscribed), write, preamble: `retry: ${retryMs}\n\n`, heartbeat: ':\n\n' },
  };
}

/** The source with its first value, which was asked for already. */
function after<T>(first: Promise<IteratorResult<T>>, source: AsyncIterator<T>): AsyncIterator<T> {
  let waiting: Promise<IteratorResult<T>> | null = first;
  return {
    next() {
      const next = waiting ?? source.next();
      waiting = null;
      return next;
    },
    return: (value) => source.return?.(value) ?? Promise.resolve({ done: true, value }),
  };
}

function toText({ id, event, data }: ServerEvent): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
