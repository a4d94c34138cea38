import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { startStaggered } from '../../src/http/connection/staggered-starts.ts';

const response = {} as ServerResponse;

/** A request as far as turns look at it. */
function request(key: string | undefined, socket = { destroyed: false, writableEnded: false }): IncomingMessage {
  return { headers: { 'api-key': key }, socket } as unknown as IncomingMessage;
}

/** Serves requests that each hold the event loop for 4 ms, and notes in which of its iterations each began. */
function watch() {
  let iteration = 0;
  const began: { key: unknown; iteration: number }[] = [];
  const serve = startStaggered(({ headers }) => {
    began.push({ key: headers['api-key'], iteration });
    const end = performance.now() + 4;
    while (performance.now() < end);
  });
  const count = async (until: number) => {
    while (began.length < until)
      await new Promise<void>((resolve) => setImmediate(resolve)).then(() => (iteration += 1));
  };
  return { serve, began, count };
}

it('a single request starts at once', () => {
  const { serve, began } = watch();
  serve(request('a'), response);
  expect(began).toHaveLength(1);
});

it('requests that arrive together start in several iterations of the event loop', async () => {
  const { serve, began, count } = watch();
  for (let i = 0; i < 20; i += 1) serve(request('a'), response);
  expect(began.length).toBeLessThanOrEqual(3);
  await count(20);
  const perIteration = new Map<number, number>();
  for (const each of began.slice(3)) perIteration.set(each.iteration, (perIteration.get(each.iteration) ?? 0) + 1);
  expect(Math.max(...perIteration.values())).toBeLessThanOrEqual(3);
});

it('a request does not wait for all that arrived before it with another key', async () => {
  const { serve, began, count } = watch();
  for (let i = 0; i < 20; i += 1) serve(request('a'), response);
  serve(request('b'), response);
  serve(request(undefined), response);
  await count(22);
  const order = began.map(({ key }) => key);
  expect(order.indexOf('b')).toBeLessThanOrEqual(4);
  expect(order.indexOf(undefined)).toBeLessThanOrEqual(5);
});

it('a request whose client has gone does not start', async () => {
  const { serve, began, count } = watch();
  const socket = { destroyed: false, writableEnded: false };
  for (let i = 0; i < 5; i += 1) serve(request('a'), response);
  serve(request('gone', socket), response);
  socket.destroyed = true;
  serve(request('last'), response);
  await count(6);
  expect(began.map(({ key }) => key).toSorted()).toEqual(['a', 'a', 'a', 'a', 'a', 'last']);
});
