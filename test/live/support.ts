import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import type { Client as SocketClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { World } from '../support/world.ts';

/** What a stream of events gave, under the names of REST. */
export type Event = Readonly<{
  operation_id: number;
  sequence: number;
  type: string;
  at: string;
  num_total: number;
  num_good: number;
  num_bad: number;
}>;

export const followDocument = `subscription ($id: BigInt!, $after: Int! = 0) {
  event: operationProgress(id: $id, after: $after) {
    operation_id: operationId sequence type at num_total: numTotal num_good: numGood num_bad: numBad
  }
}`;

export type Results = AsyncIterableIterator<{
  data?: { event: Event } | null;
  errors?: readonly { message: string }[];
}>;

/** Follows an operation by the public client `graphql-sse`, in its mode of one connection for each subscription. */
export function followBySse(url: string, key: string, variables: Record<string, unknown>): Results {
  const client = createSseClient({
    url: `${url}/graphql`,
    singleConnection: false,
    headers: { 'API-Key': key },
    retryAttempts: 0,
  });
  return client.iterate({ query: followDocument, variables }) as unknown as Results;
}

export function socketClient(url: string, key: string, options: { byHeader?: boolean } = {}): SocketClient {
  const withHeader = class extends WebSocket {
    constructor(address: string, protocols?: string | string[]) {
      super(address, protocols, { headers: { 'API-Key': key } });
    }
  };
  return createSocketClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: options.byHeader ? withHeader : WebSocket,
    ...(!options.byHeader && { connectionParams: { 'API-Key': key } }),
    retryAttempts: 0,
  });
}

export async function collect(results: Results): Promise<Event[]> {
  const events: Event[] = [];
  for await (const { data, errors } of results) {
    if (errors !== undefined) throw new Error(JSON.stringify(errors));
    if (data) events.push(data.event);
  }
  return events;
}

/** Events of a text in the format of server-sent events, with their ids. */
export function parseEvents(text: string): { id: string; event: string; data: Event }[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('id:'))
    .map((block) => {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
      return { id: fields.id, event: fields.event, data: JSON.parse(fields.data) as Event };
    });
}

export const ids = (count: number): { id: string }[] => Array.from({ length: count }, (_, i) => ({ id: `m${i}` }));

/** Counts the statements about operations' logs that a piece of work sends to the database. */
export async function countPolls({ backing }: World, work: () => Promise<unknown>): Promise<number> {
  const { pool } = backing.database;
  const query = pool.query;
  let count = 0;
  pool.query = function counted(this: typeof pool, ...args: unknown[]) {
    if ((args[0] as { name?: string }).name === 'operation-events') count += 1;
    return Reflect.apply(query, this, args);
  } as typeof query;
  try {
    await work();
  } finally {
    pool.query = query;
  }
  return count;
}
