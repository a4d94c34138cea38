import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { OperationWorker } from '../../src/operations/index.ts';
import type { Run } from '../support/program.ts';
import { kill, startWorkerProcess } from '../support/worker-process.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { finished, heldNetwork, holdSource, send, until } from './support.ts';
import type { HeldSource } from './support.ts';
import { sizeOf, timed, full } from '../support/effort.ts';

let world: World;
let client: Client;
let held: HeldSource;
let worker: OperationWorker | undefined;
let child: Run;

beforeAll(async () => {
  world = await openWorld({ worker: false, sourceAllow: heldNetwork });
  await world.picture('p.png');
});
afterAll(() => world.close());
beforeEach(async () => {
  client = await world.client();
  held = await holdSource();
});
afterEach(async () => {
  await held.close();
  await worker?.close();
  worker = undefined;
});

const one = { src_path: 'p.png' };
const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()`;
const query = (text: string) => world.backing.database.pool.query(text);

function batch(length: number): Record<string, string>[] {
  return Array.from({ length }, (_, i) => ({ id: `e${i}`, title: `title ${i}`, ...one }));
}

async function count(): Promise<number> {
  return (await client.rest('GET', '/imgs?limit=1&count=true')).body.count;
}

describe('a worker that is killed', () => {
  it('between two chunks is replaced within seconds, and every element is applied once', timed, async () => {
    child = await startWorkerProcess(world);
    const elements = batch(600).map((element, i) => (i === 250 ? { id: 'e250', src: held.url } : element));
    const id = await send(client, 'POST', '/imgs', elements);
    await until(client, id, { num_good: 200 });
    await held.asked;
    worker = world.startWorker();
    await kill(child);
    held.release();
    const began = Date.now();
    expect(await finished(client, id)).toMatchObject({ num_total: 600, num_good: 600, num_bad: 0, errors: [] });
    expect(Date.now() - began).toBeLessThan(8_000); // Without knowing who died it takes the lease of 10 s.
    expect(await count()).toBe(600);
  });

  it('inside a transaction leaves nothing of it', full, async () => {
    await query(`CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS
                 $$ BEGIN IF NEW.title = 'title 399' THEN PERFORM pg_sleep(1.5); END IF; RETURN NEW; END $$`);
    await query('CREATE TRIGGER stall BEFORE INSERT ON image FOR EACH ROW EXECUTE FUNCTION stall()');
    child = await startWorkerProcess(world);
    const id = await send(client, 'POST', '/imgs', [...batch(500), { id: 'e0', ...one }]);
    const stalled = "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()";
    await vi.waitFor(async () => expect((await query(stalled)).rowCount).toBe(1), { timeout: 20_000, interval: 10 });
    await kill(child);
    expect(await count()).toBe(200);
    await query('DROP FUNCTION stall() CASCADE');
    worker = world.startWorker();
    expect(await finished(client, id)).toMatchObject({
      num_total: 501,
      num_good: 500,
      num_bad: 1,
      errors: [{ id: 500, code: 'duplicate_in_batch' }],
    });
    expect(await count()).toBe(500);
  });

  it('leaves a strict batch that is stored as a whole by the next one', full, async () => {
    child = await startWorkerProcess(world);
    const id = await send(client, 'POST', '/imgs?strict=true', [...batch(300), { id: 'h', src: held.url }]);
    await held.asked;
    await kill(child);
    expect(await count()).toBe(0);
    held.release();
    worker = world.startWorker();
    expect(await finished(client, id)).toMatchObject({ num_good: 301, num_bad: 0, errors: [] });
  });
});

describe('a worker that closes', () => {
  const marks = 'SELECT FROM operation_chunk WHERE begun_by IS NOT NULL';

  it('leaves no mark of a death, even when an element in flight takes too long to wait for', full, async () => {
    child = await startWorkerProcess(world);
    const id = await send(client, 'POST', '/imgs', [{ id: 'slow', src: held.url }]);
    await held.asked;
    expect((await query(marks)).rowCount).toBe(1);
    child.child.kill('SIGTERM');
    expect(await child.ended).toBe(0);
    expect((await query(marks)).rowCount).toBe(0);
    expect((await query('SELECT FROM service_process')).rowCount).toBe(0);
    held.release();
    worker = world.startWorker();
    expect(await finished(client, id)).toMatchObject({ num_good: 1, num_bad: 0 });
  });
});

describe('the database', () => {
  it('may cut every connection again and again while operations run: all end, exactly', timed, async () => {
    const size = sizeOf(700, 1500);
    worker = world.startWorker();
    const ids: number[] = [];
    for (const element of batch(5)) ids.push(await send(client, 'POST', '/imgs', [element]));
    const large = await send(client, 'POST', '/imgs', batch(size));
    for (let i = 0; i < sizeOf(5, 8); i += 1) {
      await query(cut);
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    expect(await finished(client, large, 40_000)).toMatchObject({ num_total: size, num_good: size - 5, num_bad: 5 });
    for (const id of ids) expect(await finished(client, id)).toMatchObject({ num_good: 1, num_bad: 0 });
    expect(await count()).toBe(size);
    // And it serves again as it did before, called by the queue.
    const began = Date.now();
    expect(await client.write('POST', '/imgs/after', one)).toMatchObject({ num_good: 1 });
    expect(Date.now() - began).toBeLessThan(5_000);
  });

  it('may cut every connection while a worker starts', full, async () => {
    for (let i = 0; i < 5; i += 1) {
      worker = world.startWorker();
      for (let cuts = 0; cuts < 10; cuts += 1) await query(cut);
      await worker.close();
    }
    worker = world.startWorker();
    expect(await client.write('POST', '/imgs/after', one)).toMatchObject({ num_good: 1 });
  });

  it('may lose everything that the queue had', full, async () => {
    const ids = [];
    for (const element of batch(3)) ids.push(await send(client, 'POST', '/imgs', [element]));
    const { rows } = await query(
      "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'bullmq'",
    );
    const tables = rows.map(({ name }: { name: string }) => name).filter((name: string) => !/migration/.test(name));
    expect(tables.length).toBeGreaterThan(0);
    const lose = async () => {
      // The queue locks its tables in an order of its own; PostgreSQL then ends one of the two, and it may be us.
      for (let tries = 1; ; tries += 1) {
        try {
          return await query(`TRUNCATE ${tables.join(', ')}`);
        } catch (error) {
          if ((error as { code?: string }).code !== '40P01' || tries === 10) throw error;
        }
      }
    };
    await lose();
    worker = world.startWorker();
    for (const id of ids) expect(await finished(client, id)).toMatchObject({ num_good: 1 });
    await lose();
    expect(await client.write('POST', '/imgs/after', one)).toMatchObject({ num_good: 1 });
  });
});
