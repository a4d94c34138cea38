import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClaims } from '../../../src/operations/analyze/claims.ts';
import type { AnalysisChunk } from '../../../src/operations/analyze/chunk.ts';
import { analyzerThat } from '../../support/analyzers.ts';
import { openWorld } from '../../support/world.ts';
import type { World } from '../../support/world.ts';
import { finished, operation, send, tenantIdOf, until } from '../support.ts';
import { full } from '../../support/effort.ts';

const worker = '00000000-0000-4000-8000-000000000001';

/** An operation that waits for its analysis. */
type Batch = Readonly<{ elements: number; isUrgent: boolean }>;

describe('chunks that wait for analysis', () => {
  let world: World;
  let tenants: number[];
  beforeAll(async () => {
    world = await openWorld({ worker: false });
    tenants = [await tenantIdOf(world, await world.client()), await tenantIdOf(world, await world.client())];
  });
  afterAll(() => world.close());

  async function enqueue(tenantId: number, { elements, isUrgent }: Batch): Promise<number> {
    const { rows } = await world.backing.database.pool.query<{ id: number }>(
      `WITH batch AS (
         INSERT INTO operation (tenant_id, kind, method, resource, num_total, do_wait, do_urgent, do_strict, state)
         VALUES ($1, 'images.upsert', 'multiple', 'image', $2, false, $3, false, 'analyzing')
         RETURNING id, num_total, do_urgent
       ), chunks AS (
         INSERT INTO operation_analysis (operation_id, number, tenant_id, rank, positions, refs)
         SELECT id, n, $1, CASE WHEN do_urgent THEN 0 ELSE length(num_total::text) END, ARRAY[n], ARRAY['i' || n]
         FROM batch, generate_series(1, ceil($2::int / 8.0)::int) AS n
       )
       SELECT id FROM batch`,
      [tenantId, elements, isUrgent],
    );
    return Number(rows[0]?.id);
  }

  async function end({ operationId, number }: AnalysisChunk): Promise<void> {
    const where = 'WHERE operation_id = $1 AND number = $2';
    await world.backing.database.pool.query(`DELETE FROM operation_analysis ${where}`, [operationId, number]);
  }

  /** Claims what there is, ends the first, and so on until none waits. */
  async function drain(onChunk: (chunk: AnalysisChunk) => Promise<void> = async () => {}): Promise<AnalysisChunk[]> {
    const claims = createClaims(world.backing.database, worker, 2);
    const [atWork, all]: [AnalysisChunk[], AnalysisChunk[]] = [[], []];
    for (;;) {
      for (let chunks = await claims.next(atWork); chunks.length > 0; chunks = await claims.next(atWork)) {
        atWork.push(...chunks);
        all.push(...chunks);
        for (const chunk of chunks) await onChunk(chunk);
      }
      const ended = atWork.shift();
      if (ended === undefined) return all;
      await end(ended);
    }
  }

  it('go by urgency, then size, then arrival; every fourth is of the oldest, and none is left', full, async () => {
    const batch = fc.record({ elements: fc.constantFrom(1, 3, 9, 17, 40, 130), isUrgent: fc.boolean() });
    const [tenantId = 0] = tenants;
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 6 }), async (batches) => {
        const ids: number[] = [];
        for (const each of batches) ids.push(await enqueue(tenantId, each));
        const claimed = await drain();
        const seen = claimed.map(({ operationId }) => ids.indexOf(Number(operationId)));
        expect(seen).toEqual(byTheRule(batches));
      }),
      { numRuns: 25 },
    );
  });

  it('of a new small operation are next, of an urgent one before those, though enough of a large one is at work', async () => {
    const [tenantId = 0] = tenants;
    const large = await enqueue(tenantId, { elements: 264, isUrgent: false });
    const claims = createClaims(world.backing.database, worker, 2);
    const atWork: AnalysisChunk[] = [];
    for (let chunks = await claims.next(atWork); chunks.length > 0; chunks = await claims.next(atWork)) {
      atWork.push(...chunks);
    }
    expect(new Set(atWork.map(({ operationId }) => Number(operationId)))).toEqual(new Set([large]));
    const small = await enqueue(tenantId, { elements: 1, isUrgent: false });
    const urgent = await enqueue(tenantId, { elements: 500, isUrgent: true });
    const next: number[] = [];
    for (let i = 0; i < 2; i += 1) {
      const chunks = await claims.next(atWork);
      atWork.push(...chunks);
      next.push(...chunks.map(({ operationId }) => Number(operationId)));
    }
    expect(next).toEqual([urgent, urgent]);
    for (const chunk of atWork.filter(({ operationId }) => Number(operationId) === urgent)) await end(chunk);
    const left = atWork.filter(({ operationId }) => Number(operationId) === large);
    await world.backing.database.pool.query('DELETE FROM operation_analysis WHERE operation_id = $1', [urgent]);
    expect((await claims.next(left)).map(({ operationId }) => Number(operationId))).toEqual([small]);
    await world.backing.database.pool.query('DELETE FROM operation_analysis');
  });

  it('of an operation never wait for ever, though smaller ones come all the time', async () => {
    const [tenantId = 0] = tenants;
    const large = await enqueue(tenantId, { elements: 80, isUrgent: false });
    for (let i = 0; i < 4; i += 1) await enqueue(tenantId, { elements: 1, isUrgent: false });
    let coming = 60;
    const claimed = await drain(async (chunk) => {
      if (Number(chunk.operationId) === large) return;
      if (coming > 0) await enqueue(tenantId, { elements: 1, isUrgent: false });
      coming -= 1;
    });
    const last = claimed.findLastIndex(({ operationId }) => Number(operationId) === large);
    expect(coming).toBeLessThan(1);
    // Ten chunks, one of four.
    expect(last).toBeLessThan(4 * 10 + 4);
  });

  it('of two tenants are taken alike, however many one has', async () => {
    const [first = 0, second = 0] = tenants;
    for (let i = 0; i < 20; i += 1) await enqueue(first, { elements: 40, isUrgent: true });
    await enqueue(second, { elements: 40, isUrgent: false });
    const claimed = await drain();
    const theirs = claimed.findLastIndex(({ tenantId }) => tenantId === second);
    expect(theirs).toBeLessThan(2 * 5 + 3);
  });
});

/** Which operation each claimed chunk is of, by the documented rule; two chunks of a tenant are analyzed at a time. */
function byTheRule(batches: readonly Batch[]): number[] {
  const rank = ({ elements, isUrgent }: Batch) => (isUrgent ? 0 : String(elements).length);
  const waiting = batches.flatMap((batch, index) =>
    Array.from({ length: Math.ceil(batch.elements / 8) }, () => ({ index, rank: rank(batch) })),
  );
  const [claimed, atWork]: [number[], number[]] = [[], []];
  const take = (place: number) => {
    const [chunk] = waiting.splice(place, 1);
    if (chunk === undefined) return;
    sinceOldest = sinceOldest >= 3 && atWork.length < 2 ? 0 : sinceOldest + 1;
    claimed.push(chunk.index);
    atWork.push(chunk.rank);
  };
  /** The first of those that are lowest in rank; they stand in the order of arrival. */
  const lowest = (below = Infinity) => {
    const least = Math.min(...waiting.map((chunk) => chunk.rank));
    return least < below ? waiting.findIndex((chunk) => chunk.rank === least) : -1;
  };
  const next = () => {
    if (atWork.length >= 2) return lowest(atWork.length < 4 ? Math.max(...atWork) : 0);
    return sinceOldest >= 3 ? 0 : lowest();
  };
  let sinceOldest = 0;
  for (;;) {
    for (let place = next(); waiting.length > 0 && place >= 0; place = next()) take(place);
    if (atWork.length === 0) return claimed;
    atWork.shift();
  }
}

describe('one new picture behind a batch', () => {
  it('is analyzed before the rest of it', full, async () => {
    const imageAnalyzer = analyzerThat(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { outcomes: {} };
    });
    const world = await openWorld({ analyses: true, imageAnalyzer });
    const client = await world.client();
    await world.picture('p.png');
    const elements = Array.from({ length: 264 }, (_, i) => ({ id: `e${i}`, src_path: 'p.png' }));
    const batch = await send(client, 'POST', '/imgs', elements);
    await until(client, batch, { num_good: 264 });
    const record = await client.write('POST', '/imgs/one', { src_path: 'p.png' });
    expect(record).toMatchObject({ is_finished: true, num_good: 1 });
    const { is_finished: isFinished, stages } = await operation(client, batch);
    expect([isFinished, stages[1].num_good < 264]).toEqual([false, true]);
    await finished(client, batch, 60_000);
    await world.close();
  });
});

describe('an export behind a batch that is analyzed', () => {
  it('is written meanwhile, though it has as many records, and even if the batch is urgent', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const imageAnalyzer = analyzerThat(async () => {
      await held;
      return { outcomes: {} };
    });
    const world = await openWorld({ analyses: true, imageAnalyzer });
    const client = await world.client();
    await world.picture('p.png');
    const elements = Array.from({ length: 40 }, (_, i) => ({ id: `e${i}`, src_path: 'p.png' }));
    const batch = await send(client, 'POST', '/imgs?urgent=true', elements);
    await until(client, batch, { num_good: 40 });
    const file = await send(client, 'POST', '/exports/imgs', { q: '*', format: 'zip' });
    await until(client, file, { is_finished: true, num_good: 40 }, 10_000);
    expect((await operation(client, batch)).is_finished).toBe(false);
    release();
    await finished(client, batch);
    await world.close();
  });
});
