import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { analyzerThat } from '../../support/analyzers.ts';
import { openWorld } from '../../support/world.ts';
import type { Client, World } from '../../support/world.ts';
import { finished, send } from '../support.ts';
import { full } from '../../support/effort.ts';

const shape = { analyzer: 'builtin', version: '1', milliseconds: 1, result: { type: 'landscape' } } as never;
/** Opened by a test: the first half of the pictures waits for the first, and all others for the second. */
let gates = [gate(), gate()] as const;
let looked = 0;

let world: World;
let client: Client;
beforeAll(async () => {
  const imageAnalyzer = analyzerThat(async () => {
    await gates[(looked += 1) <= 4 ? 0 : 1].opened;
    return { outcomes: { shape } };
  });
  world = await openWorld({ analyses: true, imageAnalyzer });
  await world.picture('p.png');
});
afterAll(() => world.close());
beforeEach(async () => {
  gates = [gate(), gate()];
  looked = 0;
  client = await world.client();
});

afterEach(() => gates.forEach(({ open }) => open()));

function gate(): { open: () => void; opened: Promise<void> } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

const keeping = `FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FOR UPDATE OF o%'`;

/** Stores eight pictures and analyzes the first half; `between` runs before the first results are lost. */
async function failFirst(between: () => Promise<void>): Promise<number> {
  const { pool } = world.backing.database;
  const elements = Array.from({ length: 8 }, (_, n) => ({ id: `p${n}`, src_path: 'p.png' }));
  const id = await send(client, 'POST', '/imgs', elements);
  await expect.poll(() => looked, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
  const holder = await pool.connect();
  await holder.query(`BEGIN; SELECT FROM operation WHERE id = ${id} FOR UPDATE`);
  gates[0].open();
  await expect.poll(async () => (await pool.query(`SELECT pid ${keeping}`)).rowCount, { timeout: 20_000 }).toBe(1);
  await between();
  const killed = async () => (await pool.query(`SELECT pg_terminate_backend(pid) ${keeping}`)).rowCount;
  await expect.poll(killed, { timeout: 20_000 }).toBe(1); // It is between two attempts for a moment.
  await holder.query('ROLLBACK');
  holder.release();
  return id;
}

const exact = { num_total: 8, num_good: 8, num_bad: 0, is_finished: true };

describe('results that could not be kept', () => {
  it('are not counted as kept when the next ones of their chunk are', async () => {
    const id = await failFirst(async () => {
      gates[1].open();
      await expect.poll(() => looked).toBe(8);
      await sleep(500); // Until the other results stand behind the first.
    });
    expect((await finished(client, id)).stages[1]).toMatchObject(exact);
  });

  it('have their chunk started again, once, which keeps what was analyzed meanwhile', full, async () => {
    const id = await failFirst(async () => {
      await expect.poll(() => looked).toBeGreaterThan(4);
    });
    await sleep(2_500); // The sweep, every second, has it begun anew.
    gates[1].open();
    expect((await finished(client, id)).stages[1]).toMatchObject(exact);
    expect(looked).toBe(16);
  });
});
