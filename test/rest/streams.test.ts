import { expect, it } from 'vitest';
import { endpoints } from '../../rest/index.ts';
import type { StreamEndpoint } from '../../rest/endpoints/endpoint.ts';
import { createStreamer } from '../../rest/answer/streams.ts';

const endpoint = endpoints.find((each): each is StreamEndpoint => 'stream' in each) as StreamEndpoint;
const input = { values: { op_id: 1 }, given: new Set<string>(), body: undefined, preferWait: undefined, target: '/' };

it('a stream that fails after it was refused ends without sound', async () => {
  let fail = () => {};
  const failed = new Promise<never>((_resolve, reject) => (fail = () => reject(new Error('the database is away'))));
  const follow = createStreamer([endpoint], () => async () => ({ next: () => failed }), {
    mayAskSimilarity: () => false,
  });
  const reply = await follow(endpoint, input, {}, 'r1');
  expect(reply.status).toBe(200);
  // Nobody reads it: the key has too many streams.
  fail();
  await new Promise((resolve) => setTimeout(resolve, 10)); // Time for an unhandled rejection to be noticed.
});
