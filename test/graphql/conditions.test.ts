import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await openWorld({ worker: false });
  client = await world.client({ tenant: 'conditions' });
});
afterAll(() => world.close());

const fragment = 'fragment F on Me { limits { batchElements } }';
const limits = { limits: { batchElements: 10_000 } };

describe('a condition on a selection', () => {
  // The first three were answered wrongly by the compiled executor alone.
  it.each([
    [`{ me { tenant ...F @skip(if: true) ...F } } ${fragment}`, { tenant: 'conditions', ...limits }],
    [
      `{ me { limits @include(if: false) { batchElements ... { a: batchElements } } limits { batchElements } } }`,
      limits,
    ],
    [`{ me { ... @skip(if: true) { ...F } ...F } } ${fragment}`, limits],
    [`{ me { ...F ...F @skip(if: true) } } ${fragment}`, limits],
    [`{ me { tenant ...F @include(if: false) } } ${fragment}`, { tenant: 'conditions' }],
    [`{ me { tenant limits @skip(if: true) { batchElements } } }`, { tenant: 'conditions' }],
  ])('leaves out what it stands on and nothing else: %s', async (query, me) => {
    expect(await client.graphql(query)).toEqual({ data: { me } });
    expect(await client.graphql(query)).toEqual({ data: { me } });
  });
});

describe('a default of a variable', () => {
  it.each([
    ['query ($t: DateTime = "2999-01-01") { operations(createdAfter: $t) { count } }', { operations: { count: 0 } }],
    ['query ($id: BigInt = "77") { operation(id: $id) { id } }', { operation: null }],
    ['query ($id: BigInt! = "77") { operation(id: $id) { id } }', { operation: null }],
    ['query ($n: Int! = 5) { images(limit: $n) { results { title } } }', { images: { results: [] } }],
  ])('is read like a value that was sent: %s', async (query, data) => {
    for (let times = 0; times < 2; times += 1) expect((await client.graphql(query)).data).toEqual(data);
  });
});
