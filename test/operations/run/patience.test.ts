import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { analyzerOf } from '../../support/analyzers.ts';
import { openWorld } from '../../support/world.ts';
import type { Client, World } from '../../support/world.ts';
import { finished, operation, send } from '../support.ts';
import { full } from '../../support/effort.ts';

let world: World;
let client: Client;
const patience = { tries: 3, seconds: 1 };

beforeAll(async () => {
  world = await openWorld({ patience, analyses: true, imageAnalyzer: analyzerOf() });
  await world.picture('p.png');
});
afterAll(() => world.close());
beforeEach(async () => (client = await world.client()));

/** A fault as of a wrong statement: PostgreSQL has no such function. */
async function breakFor(condition: string, table = 'image', each = 'ROW'): Promise<void> {
  await world.backing.database.pool.query(`
    CREATE OR REPLACE FUNCTION break_it() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF ${condition} THEN PERFORM there_is_no_such_function(); END IF;
      RETURN NEW;
    END $$;
    CREATE OR REPLACE TRIGGER break_it BEFORE INSERT OR UPDATE ON ${table} FOR EACH ${each} EXECUTE FUNCTION break_it()`);
}
const mend = (table = 'image') => world.backing.database.pool.query(`DROP TRIGGER IF EXISTS break_it ON ${table}`);

const images = (...ids: string[]) => ids.map((id) => ({ id, src_path: 'p.png' }));

it(
  'a record that cannot be stored because of a fault of ours fails alone in the end, and later writes go on',
  full,
  async () => {
    await breakFor("NEW.image_id = 'bad'");
    const first = await send(client, 'POST', '/imgs', images('a', 'bad', 'b'));
    const later = await send(client, 'POST', '/imgs', images('c'));
    const ended = await finished(client, first);
    expect(ended).toMatchObject({ num_good: 2, num_bad: 1, is_aborted: false });
    expect(ended.errors).toMatchObject([{ ref: 'bad', code: 'internal' }]);
    expect(await finished(client, later)).toMatchObject({ num_good: 1, num_bad: 0 });
    await mend();
  },
);

it('faults now and then cost no element, however many they are, while the operation goes on', full, async () => {
  await world.backing.database.pool.query('CREATE SEQUENCE IF NOT EXISTS inserts');
  await breakFor(`TG_OP = 'INSERT' AND nextval('inserts') % 2 = 1`, 'image', 'STATEMENT');
  const id = await send(client, 'POST', '/imgs', images(...Array.from({ length: 1000 }, (_, n) => `n${n}`)));
  expect(await finished(client, id)).toMatchObject({ num_good: 1000, num_bad: 0, is_aborted: false });
  await mend();
});

it('a strict operation with such a record stores nothing', full, async () => {
  await breakFor("NEW.image_id = 'bad'");
  const id = await send(client, 'POST', '/imgs?strict=true', images('d', 'bad'));
  expect(await finished(client, id)).toMatchObject({ num_good: 0, num_bad: 2 });
  expect((await client.rest('GET', '/imgs/d')).status).toBe(404);
  await mend();
});

it('a fault that is mended in time costs no element', async () => {
  await breakFor("NEW.image_id = 'e'");
  const id = await send(client, 'POST', '/imgs', images('e'));
  await expect.poll(async () => faultsOf(id)).toBeGreaterThan(0);
  await mend();
  expect(await finished(client, id)).toMatchObject({ num_good: 1, num_bad: 0 });
});

it('an operation that cannot go on at all is aborted, and later writes go on', full, async () => {
  await breakFor(`NEW.num_bad > 0 OR NEW.num_good > 0`, 'operation');
  const stuck = await send(client, 'POST', '/imgs', images('f'));
  const ended = await finished(client, stuck);
  expect(ended).toMatchObject({ is_aborted: true, num_good: 0, num_bad: 0 });
  await mend('operation');
  const later = await send(client, 'POST', '/imgs', images('g'));
  expect(await finished(client, later)).toMatchObject({ num_good: 1 });
  expect(await operation(client, stuck)).toMatchObject({ is_aborted: true });
});

it('a result of an analysis that cannot be stored fails alone in the end', full, async () => {
  await breakFor("NEW.row_id = (SELECT row_id FROM image WHERE image_id = 'bad2')", 'image_analysis');
  const id = await send(client, 'POST', '/imgs', images('h', 'bad2', 'i'));
  await finished(client, id);
  const { data } = await client.graphql(`{ operation(id: ${id}) { stages { stage numGood numBad numTotal } } }`);
  expect(data.operation.stages[1]).toEqual({ stage: 'analyze', numGood: 2, numBad: 1, numTotal: 3 });
  await mend('image_analysis');
});

it.each([
  ['an export', 'export_file', '/exports/imgs', { ids: ['a'], format: 'csv' }],
  ['a search for duplicates', 'duplicate_search', '/duplicates', undefined],
])('%s that cannot be stored fails in the end', full, async (_, table, path, body) => {
  await breakFor('true', table);
  const id = await send(client, 'POST', path, body);
  const ended = await finished(client, id);
  expect(ended).toMatchObject({ num_good: 0, is_aborted: false });
  expect(ended.errors).toMatchObject([{ code: 'internal' }]);
  await mend(table);
});

async function faultsOf(id: number): Promise<number> {
  const { rows } = await world.backing.database.pool.query('SELECT num_faults FROM operation WHERE id = $1', [id]);
  return rows[0].num_faults as number;
}
