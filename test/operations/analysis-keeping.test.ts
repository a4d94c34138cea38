import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sightThat } from '../support/sights.ts';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';
import { finished, send } from './support.ts';

const shape = { analyzer: 'builtin', version: '1', milliseconds: 1, result: { type: 'landscape' } } as never;
/** The first half of the pictures waits for the first gate, and the others for the second. */
const gates = [gate(), gate()] as const;
let looked = 0;

let world: World;
beforeAll(async () => {
  const sight = sightThat(async () => {
    await gates[(looked += 1) <= 4 ? 0 : 1].opened;
    return { outcomes: { shape } };
  });
  world = await openWorld({ analyses: true, sight });
  await world.picture('p.png');
});
afterAll(() => world.close());

function gate(): { open: () => void; opened: Promise<void> } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

it('results that could not be kept are not counted as kept when the next ones of their chunk are', async () => {
  const { pool } = world.backing.database;
  const client = await world.client();
  const elements = Array.from({ length: 8 }, (_, n) => ({ id: `p${n}`, src_path: 'p.png' }));
  const id = await send(client, 'POST', '/imgs', elements);
  await expect.poll(() => looked, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
  const holder = await pool.connect();
  await holder.query(`BEGIN; SELECT FROM operation WHERE id = ${id} FOR UPDATE`);
  gates[0].open();
  const keeping = `FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FOR UPDATE OF o%'`;
  await expect.poll(async () => (await pool.query(`SELECT pid ${keeping}`)).rowCount, { timeout: 20_000 }).toBe(1);
  gates[1].open();
  await expect.poll(() => looked).toBe(8);
  await sleep(500); // Until the other results stand behind the first.
  await pool.query(`SELECT pg_terminate_backend(pid) ${keeping}`);
  await holder.query('ROLLBACK');
  holder.release();
  const record = await finished(client, id);
  expect(record.stages[1]).toMatchObject({ num_total: 8, num_good: 8, num_bad: 0, is_finished: true });
});
