import { GraphQLInt, GraphQLList, GraphQLNonNull, GraphQLObjectType, GraphQLSchema, parse } from 'graphql';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReferenceExecutor } from '../../src/graphql/server/reference-executor.ts';
import { collectProcessFaults } from '../support/process-faults.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

type Item = Readonly<{ slowMs: number }>;

const item = new GraphQLObjectType<Item>({
  name: 'Item',
  fields: {
    value: { type: GraphQLInt, resolve: ({ slowMs }) => (slowMs === 0 ? 0 : delay(slowMs, slowMs)) },
    failing: {
      type: new GraphQLNonNull(GraphQLInt),
      resolve: () => {
        throw new Error('refused');
      },
    },
  },
});

function schemaOf(items: unknown): GraphQLSchema {
  const type = new GraphQLList(new GraphQLNonNull(item));
  return new GraphQLSchema({
    query: new GraphQLObjectType({ name: 'Query', fields: { items: { type, resolve: () => items } } }),
  });
}

describe('a list of which an item fails while an earlier one is pending', () => {
  const items = [{ slowMs: 5 }, { slowMs: 0 }];

  it.each([
    ['an array', items],
    ['a set', new Set(items)],
    ['an array of promises', items.map((one) => Promise.resolve(one))],
    ['a promise', Promise.resolve(items)],
  ])('is answered without an unhandled rejection: %s', async (_, list) => {
    const faults = collectProcessFaults();
    const document = parse('{ items { value failing } }');
    const { data, errors } = await createReferenceExecutor(schemaOf(list)).execute({ document });
    await delay(20);
    faults.stop();
    expect(faults.found).toEqual([]);
    expect(data).toEqual({ items: null });
    expect(errors?.map(({ message, path }) => ({ message, path }))).toEqual([
      { message: 'refused', path: ['items', 1, 'failing'] },
    ]);
  });
});

describe('a document that the compiler does not take', () => {
  let world: World;
  let client: Client;
  beforeAll(async () => {
    world = await openWorld();
    client = await world.client({ tenant: 'reference' });
  });
  afterAll(() => world.close());

  it('leaves the process alone when a later operation is refused while an earlier one is read', async () => {
    const source = await world.picture('one.jpg');
    await client.write('POST', '/imgs', [{ id: 'good', src_path: source }]);
    await client.write('POST', '/imgs', [{ id: 'bad', src_path: `${source}.missing` }]);
    const faults = collectProcessFaults();
    const query =
      'query ($n: Int! = 5) { operations(limit: $n) { results { errors { ref } changes(page: 0) { count } } } }';
    const { errors } = await client.graphql(query);
    await delay(100);
    faults.stop();
    expect(faults.found).toEqual([]);
    expect(errors).toEqual([
      expect.objectContaining({ path: ['operations', 'results', expect.any(Number), 'changes'] }),
    ]);
  });
});
