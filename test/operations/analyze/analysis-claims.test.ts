import type pg from 'pg';
import { expect, it } from 'vitest';
import { analyzerOf } from '../../support/analyzers.ts';
import { openWorld } from '../../support/world.ts';
import { full } from '../../support/effort.ts';

it('a chunk whose claim is answered to nobody, for the connection broke, is claimed again', full, async () => {
  const world = await openWorld({ analyses: true, imageAnalyzer: analyzerOf() });
  const client = await world.client();
  await world.picture('p.png');
  const lost = loseOneAnswer(world.backing.database.pool, /UPDATE operation_analysis a SET begun_by = \$1/);
  const record = await client.write('POST', '/imgs/p', { src_path: 'p.png' });
  expect(lost.count).toBe(1);
  expect(record).toMatchObject({ is_finished: true, num_good: 1 });
  expect(record.stages[1]).toMatchObject({ num_total: 1, num_good: 1, is_finished: true });
  await world.close();
});

/** The first statement like this that changes a row is done, but its answer never comes. */
function loseOneAnswer(pool: pg.Pool, text: RegExp): { count: number } {
  const query = pool.query;
  const lost = { count: 0 };
  pool.query = async function breaking(this: pg.Pool, ...args: unknown[]) {
    const answer = (await Reflect.apply(query, this, args)) as pg.QueryResult;
    if (lost.count > 0 || !text.test(String(args[0])) || answer.rowCount === 0) return answer;
    lost.count += 1;
    throw new Error('Connection terminated unexpectedly');
  } as typeof query;
  return lost;
}
