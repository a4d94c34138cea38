import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/backing/index.ts';
import { embeddingModelIds } from '../../src/catalog/index.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { forTenant } from '../../src/tenants/index.ts';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ worker: false });
});
afterAll(() => world.close());

/** The ids of models for a process that has just started. */
async function idsOf(...names: string[]): Promise<unknown[]> {
  const url = world.backing.database.pool.options.connectionString ?? '';
  const database = openDatabase({ url, logger: createLogger('fatal') });
  const known = await embeddingModelIds(forTenant(database, 1), names);
  await database.close();
  return names.map((name) => known.get(name));
}

it('a model keeps its id, and takes no further one when a process starts: there are 32 767', async () => {
  expect(await idsOf('a 1')).toEqual([1]);
  expect(await idsOf('a 1')).toEqual([1]);
  expect(await idsOf('a 1', 'b 1')).toEqual([1, 2]);
});
