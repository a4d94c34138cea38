import { afterEach, beforeAll, afterAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../src/observability/logger.ts';
import { startRemovals } from '../../src/previews/index.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

let world: World;
let client: Client;
let tenantId: number;
const started: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  // No process of this world keeps previews: what is to be removed waits.
  world = await openWorld({ environment: { PREVIEWS: 'off' } });
  client = await world.client({ tenant: 'ours' });
  tenantId = (await query<{ id: number }>(`SELECT id FROM tenant WHERE name = 'ours'`))[0]?.id ?? 0;
});
afterAll(() => world.close());
afterEach(async () => {
  for (const removals of started.splice(0)) await removals.close();
  await query('DELETE FROM preview_removal');
});

async function query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
  return (await world.backing.database.pool.query<Row>(text, [...values])).rows;
}

/** Starts to remove previews, as a process does that has a store of its own or one of all. */
function start(forget: (files: readonly string[]) => Promise<void>, isShared = false) {
  const { database, notifications } = world.backing;
  const removals = startRemovals({
    database,
    notifications,
    logger: createLogger('fatal'),
    isShared,
    forget: ({ files }) => forget(files),
  });
  started.push(removals);
  return removals;
}

const purge = async (id: string) => {
  await world.picture(`${id}.png`, { color: id });
  await client.write('POST', `/imgs/${id}`, { src_path: `${id}.png` });
  await client.write('POST', `/imgs/${id}/purge`);
};
const note = (...files: readonly string[]) =>
  query(`INSERT INTO preview_removal (tenant_id, resource, files) VALUES ($1, 'image', $2)`, [tenantId, files]);

describe('previews of purged records', () => {
  it('are removed at the next start, when no process has heard of the purge', async () => {
    await purge('navy');
    const removed: string[] = [];
    start(async (files) => void removed.push(...files));
    await expect.poll(() => removed).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
  });

  it('are removed after the purge by those who hear of it', async () => {
    const removed: string[] = [];
    start(async (files) => void removed.push(...files));
    await purge('olive');
    await expect.poll(() => removed).toHaveLength(1);
  });

  it('are removed later when the store fails, and do not hold up others', async () => {
    let isFailing = true;
    await note('stuck');
    await note('free');
    const removed: string[] = [];
    const removals = start(async (files) => {
      if (isFailing && files.includes('stuck')) throw new Error('the store fails');
      removed.push(...files);
    });
    await removals.removeNow();
    expect(removed).toEqual(['free']);
    isFailing = false;
    await removals.removeNow();
    expect(removed).toEqual(['free', 'stuck']);
  });

  it('are removed from each store, but from that of all processes once', async () => {
    await note('a');
    await start(async () => {}).removeNow();
    const [own, shared]: [string[], string[]] = [[], []];
    await query(`UPDATE preview_removal SET removed_at = removed_at - interval '1 hour'`);
    await start(async (files) => void own.push(...files)).removeNow();
    await start(async (files) => void shared.push(...files), true).removeNow();
    expect([own, shared]).toEqual([['a'], []]);
  });
});
