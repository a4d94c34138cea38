import { readDocument } from './documents.ts';
import type { Input, ServerEvent, StreamEndpoint } from '../endpoints/endpoint.ts';
import { toReply } from './errors.ts';
import type { Reply } from '../../src/lib/http-contract.ts';
import type { ExecutionResult, Formulas, Subscription } from '../../src/lib/http-api.ts';

/** Milliseconds that a browser waits before it reconnects. */
const retryMs = 2_000;

const headers = { 'Content-Type': 'text/event-stream; charset=utf-8' };

/** Has no id, so that the client keeps the id of the last event. */
const invalidKey = `event: error\ndata: ${JSON.stringify({ detail: 'Invalid API key', code: 'invalid_key' })}\n\n`;

/** Answers a valid request for events. */
type Streamer<Context> = (
  endpoint: StreamEndpoint,
  input: Input,
  context: Context,
  requestId: string,
) => Promise<Reply>;

/**
 * Reads the subscriptions at startup, so that one that the schema cannot answer fails then rather than for its first
 * caller.
 */
export function createStreamer<Context>(
  endpoints: readonly StreamEndpoint[],
  read: (document: string) => Subscription<Context>,
  formulas: Formulas,
): Streamer<Context> {
  const subscriptions = new Map(endpoints.map((endpoint) => [endpoint, read(readDocument(endpoint.document))]));
  return async (endpoint, input, context, requestId) => {
    const subscribe = subscriptions.get(endpoint) as Subscription<Context>;
    const subscribed = await subscribe(endpoint.variables(input, formulas), context);
    if ('next' in subscribed) return toStreamReply(endpoint, subscribed);
    const [error = { message: 'no stream and no error' }] = subscribed.errors ?? [];
    return toReply(error, requestId, { target: input.target, endpoint, input });
  };
}

/** Answers 204 if the stream ends before its first event, so that a browser does not reconnect. */
async function toStreamReply({ stream }: StreamEndpoint, results: AsyncIterator<ExecutionResult>): Promise<Reply> {
  const first = results.next();
  // A failure reaches the reader of the stream; if the stream is refused, nobody needs to handle it.
  first.catch(() => {});
  const atOnce = await Promise.race([first, new Promise<null>((resolve) => setImmediate(resolve, null))]);
  if (atOnce?.done === true) return { status: 204 };
  const write = (value: unknown) => {
    const { data, errors } = value as ExecutionResult;
    const [gone] = (errors ?? []).filter(({ extensions }) => extensions?.['code'] === 'not_found');
    // A comment, which every client ignores: if the client reconnects, it is told again, with 404.
    if (gone !== undefined) return `: ${gone.message}\n\n`;
    if (errors !== undefined || !data) throw new Error(`an event failed: ${errors?.[0]?.message}`);
    return toText(stream(data));
  };
  const preamble = `retry: ${retryMs}\n\n`;
  const source = after(first, results);
  return { status: 200, headers, stream: { source, write, preamble, heartbeat: ':\n\n', invalidKey } };
}

/** An iterator over the first value, which was already requested, and then the rest of the source. */
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
