import { VitrineError } from './errors.ts';
import { pause } from './transport.ts';
import type { Transport } from './transport.ts';

/** One event of a stream of server-sent events. */
export type StreamEvent = Readonly<{ id: string; data: string }>;

/** Reads server-sent events until their stream ends. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split(/\r?\n\r?\n/);
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = readBlock(block);
        if (event !== null) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/**
 * An event; null for comments, settings, and the last block of a stream whose key is no longer valid, which the next
 * request reports.
 */
function readBlock(block: string): StreamEvent | null {
  let id = '';
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, name, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name === 'event' && value === 'error') return null;
    if (name === 'id') id = value;
    if (name === 'data') data.push(value);
  }
  return data.length === 0 ? null : { id, data: data.join('\n') };
}

/** How to follow a stream of the service. */
export type Followed<E> = Readonly<{
  path: string;
  /** The event to continue after; null for only new events. */
  after: string | null;
  /** Whether an event is the last one; without it, the stream goes on until its reader stops. */
  isLast?: (event: E) => boolean;
  signal?: AbortSignal | undefined;
}>;

/** The events of a stream, reconnecting if the connection breaks: none is left out, and none comes twice. */
export async function* follow<E>(
  transport: Transport,
  { path, after, isLast, signal }: Followed<E>,
): AsyncGenerator<E, void> {
  let last = after;
  for (let failures = 0; ; failures += 1) {
    try {
      const reply = await transport.send(path, {
        headers: {
          Accept: 'text/event-stream, application/problem+json',
          ...(last !== null && { 'Last-Event-ID': last }),
        },
        signal,
      });
      if (reply.status === 204 || reply.body === null) return;
      // A stream without an end may be silent until it is closed.
      if (isLast === undefined) failures = 0;
      for await (const { id, data } of readEvents(reply.body)) {
        failures = 0;
        last = id;
        const event = JSON.parse(data) as E;
        yield event;
        if (isLast?.(event) === true) return;
      }
    } catch (error) {
      if (signal?.aborted === true || error instanceof VitrineError || failures >= transport.retries) throw error;
    }
    if (failures >= transport.retries) throw new VitrineError('connection_failed', `The events of ${path} ended early`);
    await pause(Math.min(5000, 100 * 2 ** failures), signal);
  }
}
