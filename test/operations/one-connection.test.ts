import { afterAll, beforeAll, expect, it } from 'vitest';
import { analyzerThat } from '../support/analyzers.ts';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  const embedding = { analyzer: 'embedding', version: 'test', milliseconds: 1, result: new Int8Array(512).fill(1) };
  world = await openWorld({
    analyses: true,
    imageAnalyzer: analyzerThat(async () => ({ outcomes: { embedding } }), { embedding: 'test' }),
    environment: { DATABASE_CONNECTIONS: '2' },
  });
  await world.picture('p.png');
});
afterAll(() => world.close());

it('no transaction waits for a second connection: with one that is free all is stored, analyzed and found', async () => {
  const client = await world.client();
  const other = await world.backing.database.pool.connect();
  try {
    const elements = ['a', 'b'].map((id) => ({ id, src_path: 'p.png', title: 'Sea' }));
    const record = await client.write('POST', '/imgs?on_duplicate=flag', elements);
    expect(record.stages).toMatchObject([{ num_good: 2 }, { num_good: 2, num_bad: 0, is_finished: true }]);
    expect(await client.write('POST', '/duplicates')).toMatchObject({ is_finished: true, num_bad: 0 });
    const key = { 'Idempotency-Key': 'k' };
    expect((await client.rest('PATCH', '/imgs/a?wait=true', { title: 'Lake' }, key)).status).toBe(200);
    const { data } = await client.graphql(
      `mutation { judgePair(first: "a", second: "b", verdict: different) { verdict }
        saveFormula(name: "seas", formula: "sea") { name }
        createApiKey(name: "k", role: viewer) { key { id } } }`,
    );
    expect(data).toMatchObject({ judgePair: { verdict: 'different' }, saveFormula: { name: 'seas' } });
    const rotate = `mutation { rotateApiKey(id: "${data.createApiKey.key.id}") { key { id } } }`;
    expect((await client.graphql(rotate)).errors).toBeUndefined();
    const watch = 'mutation { watchFormula(name: "seas") { watching } }';
    expect(await client.graphql(watch)).toEqual({ data: { watchFormula: { watching: true } } });
    const asked = await client.graphql('{ explainFormula(q: "saved:seas title:sea") { count } }');
    expect(asked).toMatchObject({ data: { explainFormula: { count: 1 } } });
  } finally {
    other.release();
  }
});
