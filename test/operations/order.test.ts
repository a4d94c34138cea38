import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OperationWorker } from '../../src/operations/index.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { finished, heldNetwork, holdSource, operation, send } from './support.ts';
import type { HeldSource } from './support.ts';
import { full } from '../support/effort.ts';

let world: World;
let client: Client;
let held: HeldSource;
let worker: OperationWorker | undefined;

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

/**
 * Creates that compete: operation `i` of `count` creates one image for each pair it is part of, and
 * of two only the first can. So the first of all has `count - 1` good elements, the last none.
 */
function rival(i: number, count: number): object[] {
  const others = Array.from({ length: count }, (_, j) => j).filter((j) => j !== i);
  return others.map((j) => ({ id: `pair-${Math.min(i, j)}-${Math.max(i, j)}`, ...one }));
}

/** Sends competing creates with these queries; returns them in the order in which they were applied. */
async function order(queries: readonly string[], begin: () => void): Promise<string[]> {
  const ids: number[] = [];
  for (const [i, query] of queries.entries()) {
    ids.push(await send(client, 'POST', `/imgs${query}`, rival(i, queries.length)));
  }
  begin();
  const records = [];
  for (const id of ids) records.push(await finished(client, id));
  const places = records.map(({ num_good: good }) => queries.length - 1 - good);
  expect(places.toSorted((a, b) => a - b)).toEqual(queries.map((_, i) => i));
  return queries.map((_, place) => `${places.indexOf(place)}${queries[places.indexOf(place)]}`);
}

describe('operations of one tenant', () => {
  it('are applied in the order in which they were accepted', async () => {
    const begin = () => (worker = world.startWorker());
    expect(await order(['', '', '', '', ''], begin)).toEqual(['0', '1', '2', '3', '4']);
  });

  it('that are urgent come before all that have not started, in their own order', async () => {
    const begin = () => (worker = world.startWorker());
    const queries = ['', '', '?urgent=true', '', '?urgent=true'];
    expect(await order(queries, begin)).toEqual(['2?urgent=true', '4?urgent=true', '0', '1', '3']);
  });

  it('that are urgent do not interrupt one that has started', async () => {
    worker = world.startWorker();
    const running = await send(client, 'POST', '/imgs', [
      { id: 'first', src: held.url },
      { id: 'second', ...one },
    ]);
    await held.asked;
    const normal = await send(client, 'POST', '/imgs/third', one);
    const urgent = await send(client, 'POST', '/imgs?urgent=true', [
      { id: 'second', ...one },
      { id: 'third', ...one },
    ]);
    expect(await operation(client, urgent)).toMatchObject({ do_urgent: true, is_started: false });
    held.release();
    expect(await finished(client, normal)).toMatchObject({ num_good: 0, errors: [{ ref: 'third' }] });
    expect(await operation(client, running)).toMatchObject({ num_good: 2, num_bad: 0 });
    expect(await operation(client, urgent)).toMatchObject({ num_good: 1, errors: [{ ref: 'second' }] });
  });

  it('start only after the one before has finished', async () => {
    const ids = [];
    for (let i = 0; i < 4; i += 1) ids.push(await send(client, 'POST', `/imgs/i${i}`, one));
    worker = world.startWorker();
    const records = [];
    for (const id of ids) records.push(await finished(client, id));
    for (const [i, { created_at: created, started_at: started, finished_at: ended, ...record }] of records.entries()) {
      expect([created, started, ended].toSorted()).toEqual([created, started, ended]);
      expect(record.idle_ms).toBe(Date.parse(started) - Date.parse(created));
      expect(record.exec_ms).toBe(Date.parse(ended) - Date.parse(started));
      expect(started >= (records[i - 1]?.finished_at ?? '')).toBe(true);
    }
  });
});

type Write = Readonly<{ method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'; ids: readonly string[]; strict: boolean }>;

const writes = fc.array(
  fc.record<Write>({
    method: fc.constantFrom('POST', 'PUT', 'PATCH', 'DELETE'),
    ids: fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 }),
    strict: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);

/** What a plain map makes of the same write: the codes of its elements, null for a good one. */
function applyToModel(model: Map<string, string>, { method, ids, strict }: Write, title: string): (string | null)[] {
  const after = new Map(model);
  const codes = ids.map((id, position) => {
    if (ids.indexOf(id) < position) return 'duplicate_in_batch';
    if (method === 'POST' && model.has(id)) return 'already_exists';
    if (method !== 'POST' && !model.has(id)) return 'not_found';
    if (method === 'DELETE') after.delete(id);
    else after.set(id, title);
    return null;
  });
  const isRolledBack = strict && codes.some((code) => code !== null);
  if (isRolledBack) return codes.map((code) => code ?? 'strict_rollback');
  model.clear();
  for (const [id, value] of after) model.set(id, value);
  return codes;
}

describe('any sequence of writes on the same records', () => {
  it('ends as if each had been applied alone, one after the other', full, async () => {
    worker = world.startWorker();
    const property = fc.asyncProperty(writes, async (sequence) => {
      const own = await world.client();
      const model = new Map<string, string>();
      const sent: { id: number; codes: (string | null)[] }[] = [];
      for (const [i, write] of sequence.entries()) {
        const title = `title ${i}`;
        const body = write.ids.map((id) => ({ id, ...(write.method !== 'DELETE' && { title, ...one }) }));
        const id = await send(own, write.method, `/imgs?strict=${write.strict}`, body);
        sent.push({ id, codes: applyToModel(model, write, title) });
      }
      for (const { id, codes } of sent) {
        const { num_good: good, num_bad: bad, errors } = await finished(own, id);
        const failed = codes.flatMap((code, position) => (code === null ? [] : [[position, code]]));
        expect(errors.map((error: { id: number; code: string }) => [error.id, error.code])).toEqual(failed);
        expect([good, bad]).toEqual([codes.length - failed.length, failed.length]);
      }
      const { results } = (await own.rest('GET', '/imgs?fields=image_id&fields=title')).body;
      const titles = results.map((image: { image_id: string; title: string }) => [image.image_id, image.title]);
      expect(new Map(titles)).toEqual(model);
    });
    await fc.assert(property, { numRuns: 12 });
  });
});
