import { describe, expect, it } from 'vitest';
import { finished, send } from '../operations/support.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';
import { collect, followBySse, followDocument, ids, socketClient } from './support.ts';
import type { Results } from './support.ts';
import { timed } from '../support/effort.ts';

let world: SharedWorld;
let idle: SharedWorld;
let client: Client;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  idle = await enterWorld({ worker: false });
  client = await world.client();
});

const byWebSocket =
  (byHeader: boolean) =>
  (url: string, key: string, variables: Record<string, unknown>): Results =>
    socketClient(url, key, { byHeader }).iterate({ query: followDocument, variables }) as unknown as Results;

describe.each([
  ['graphql-sse, a connection for each subscription', followBySse],
  ['graphql-ws, key in connectionParams', byWebSocket(false)],
  ['graphql-ws, key in a header', byWebSocket(true)],
])('operationProgress by the public client %s', (_name, follow) => {
  it('gives the log of an operation to its last event, and ends', async () => {
    const id = await send(client, 'DELETE', '/imgs', ids(3));
    await finished(client, id);
    const events = await collect(follow(world.url, client.key, { id }));
    expect(events.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['queued', 1],
      ['started', 2],
      ['finished', 4],
    ]);
    expect(events.at(-1)).toMatchObject({ operation_id: id, num_total: 3, num_good: 0, num_bad: 3 });
    expect((await collect(follow(world.url, client.key, { id, after: 2 }))).map(({ type }) => type)).toEqual([
      'finished',
    ]);
  });

  // Sooner than it polls.
  it('sends events as they happen', timed, async () => {
    const own = await idle.client();
    const id = await send(own, 'DELETE', '/imgs', ids(3));
    const results = follow(idle.url, own.key, { id });
    expect((await results.next()).value.data.event.type).toBe('queued');
    const next = results.next();
    const before = performance.now();
    await own.rest('DELETE', `/ops/${id}`);
    expect((await next).value.data.event.type).toBe('aborted');
    expect(performance.now() - before).toBeLessThan(400);
    expect((await results.next()).done).toBe(true);
  });

  it("answers for another tenant's operation exactly as for one that is not there", async () => {
    const id = await send(client, 'DELETE', '/imgs', ids(1));
    const other = await world.client();
    const [theirs] = await firstOf(follow(world.url, other.key, { id }));
    const [none] = await firstOf(follow(world.url, other.key, { id: 999_999 }));
    expect(theirs).toEqual(none);
    expect(none.errors).toMatchObject([{ message: 'Operation not found', extensions: { code: 'not_found' } }]);
  });
});

async function firstOf(results: Results): Promise<any[]> {
  const all = [];
  for await (const result of results) all.push(result);
  return all;
}

describe('GraphQL over a WebSocket', () => {
  it('runs queries and mutations on the same executor, with the same errors', async () => {
    const socket = socketClient(world.url, client.key);
    const ask = async (query: string) => (await socket.iterate({ query }).next()).value;
    const mutation = 'mutation { deleteImages(ids: ["none"], wait: true) { ... on Operation { numBad } } }';
    expect(await ask(mutation)).toEqual({ data: { deleteImages: { numBad: 1 } } });
    expect(await ask('{ me { roleName } }')).toEqual({ data: { me: { roleName: 'admin' } } });
    expect(await ask('{ images(limit: 0) { cursor } }')).toEqual(
      await client.graphql('{ images(limit: 0) { cursor } }'),
    );
    await expect(ask('{ nothing }')).rejects.toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
    await expect(ask('{')).rejects.toMatchObject([{ extensions: { code: 'GRAPHQL_PARSE_FAILED' } }]);
    const other = socket.iterate({ query: 'query a { __typename }', operationName: 'b' });
    await expect(other.next()).rejects.toMatchObject([{ extensions: { code: 'invalid_argument' } }]);
    await socket.dispose();
  });
});
