import { dataOf, read, send } from './graphql.ts';
import type { Answer, Document } from './graphql.ts';

/** The error of a stream whose session has ended. */
const signedOut = 'invalid_key';

/**
 * Runs a subscription as server-sent events (GraphQL over SSE, distinct connections mode). It also ends with the
 * session; the next request then asks the user to sign in.
 *
 * @throws ApiError if the service refuses it or ends it with an error; the signal's reason
 */
export async function* subscribe<Result, Variables>(
  document: Document<Result, Variables>,
  variables: Variables,
  signal: AbortSignal,
): AsyncGenerator<Result, void> {
  const headers = { 'Content-Type': 'application/json', Accept: 'text/event-stream' };
  const body = JSON.stringify({ query: document, variables });
  const response = await send('../graphql', { method: 'POST', headers, body, signal });
  if (!response.ok || response.body === null) return void (await read(response, signal));
  for await (const { event, data } of eventsOf(response.body)) {
    if (event === 'complete') return;
    if (event !== 'next') continue;
    const answer = JSON.parse(data) as Answer;
    if (answer.errors?.[0]?.extensions?.['code'] === signedOut) return;
    yield dataOf<Result>(answer, response.status);
  }
}

type ServerEvent = Readonly<{ event: string; data: string }>;

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  try {
    let text = '';
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const blocks = (text + read.value).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) yield toEvent(block);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function toEvent(block: string): ServerEvent {
  const valuesOf = (field: string) =>
    block
      .split('\n')
      .filter((line) => line.startsWith(`${field}:`))
      .map((line) => line.slice(field.length + 1).trimStart());
  return { event: valuesOf('event').at(-1) ?? 'message', data: valuesOf('data').join('\n') };
}
