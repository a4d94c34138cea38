import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { noteChanges } from '../../src/search/index.ts';
import { readDocuments } from '../../src/search/meilisearch/documents.ts';
import { readOutbox, settleChanges } from '../../src/search/meilisearch/outbox.ts';
import { sizeOf } from '../support/effort.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { allAttached, allRecords } from './support.ts';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await openWorld();
  client = await world.client();
  for (const [name, color] of Object.entries({ a: 'teal', b: 'tomato', c: 'navy' })) {
    await world.picture(`${name}.png`, { color, width: 64 });
  }
});
afterAll(() => world.close());

const hanging = ['image_analysis', 'image_fingerprint', 'image_details', 'pair_verdict'];
const grouping = ['duplicate_search', 'duplicate_group', 'duplicate_member'];

/** Writes, and follows the operation to its end, which a large batch takes long to reach. */
async function write(method: string, path: string, body?: unknown) {
  const { body: accepted } = await client.rest(method, path, body);
  for (;;) {
    const { body: operation } = await client.rest('GET', `/ops/${accepted.operation_id}`);
    if (operation.is_finished === true) return operation;
    await sleep(50);
  }
}

/** Documents as Meilisearch has them. */
const indexed = new Map<number, string>();

/** Sends what waits for Meilisearch, as the indexer does. @returns how many records were sent */
async function index(): Promise<number> {
  const { database } = world.backing;
  let sent = 0;
  for (;;) {
    const read = await readOutbox(database, 1_000);
    if (read.changes.length === 0) return sent;
    const rowIds = read.changes.map(({ rowId }) => rowId);
    for (const row of rowIds) indexed.delete(Number(row));
    for (const { id, json } of await readDocuments(database, 'image', rowIds)) indexed.set(id, json);
    await settleChanges(database, read, new Map());
    sent += rowIds.length;
  }
}

/** Documents, but for when the record was written. */
const documents = () =>
  Object.fromEntries(
    [...indexed]
      .toSorted(([a], [b]) => a - b)
      .map(([row, json]) => {
        const { n_updated_at: _written, ...document } = JSON.parse(json) as Record<string, unknown>;
        return [row, document];
      }),
  );

const searches = [
  '/imgs?q=harbor&count=true&limit=2000&facets=keywords&facets=author',
  '/imgs?q=Mistake&count=true',
  '/imgs?q=keywords:k1 date:1931-07&count=true&limit=50',
  '/imgs?q=width:64&count=true&facets=city&sort_by=title&limit=50',
  '/duplicates?limit=100&members=100',
];

/** Everything that can be asked for, and every column of every table that it comes from. */
async function everything() {
  const { rows: history } = await world.backing.database.pool.query('SELECT * FROM image_change ORDER BY id');
  const answers = [];
  for (const path of searches) answers.push((await client.rest('GET', path)).body);
  return {
    answers,
    history,
    records: await allRecords(world),
    attached: await allAttached(world, hanging),
    groups: await allAttached(world, grouping),
    documents: documents(),
  };
}

/** All changes of an operation, page after page. */
async function changesOf(operation: number) {
  const found = [];
  for (let page = 1; ; page += 1) {
    const { body } = await client.rest('GET', `/ops/${operation}/changes?page=${page}&limit=200`);
    found.push(...body.results);
    if (body.results.length === 0) return found;
  }
}

it(
  'a batch patch is predicted by a dry run, done, and undone: records, search, facets, duplicates, what Meilisearch has, and ' +
    'history are as before, in every column',
  async () => {
    const size = sizeOf(250, 10_000);
    const many = Array.from({ length: size }, (_, n) => ({
      id: `many-${n}`,
      src_path: n % 2 ? 'a.png' : 'b.png',
      title: `Harbor ${n}`,
      author: `Author ${n % 7}`,
      keywords: ['boat', `k${n % 3}`],
      date: '1931-07',
    }));
    await noteChanges(world.backing.database);
    await write('POST', '/imgs', many);
    const copies = Array.from({ length: 30 }, (_, n) => ({ id: `copy-${n}`, src_path: 'c.png' }));
    await write('POST', '/imgs?on_duplicate=flag', copies);
    await client.rest('PUT', '/verdicts/copy-1/copy-2', { verdict: 'variant' });
    await write('POST', '/duplicates?q=id:copy-*');
    expect(await index()).toBe(size + copies.length);
    const before = await everything();
    expect(before.answers.map(({ count }) => count)).toEqual([size, 0, Math.ceil((size - 1) / 3), size + 30, 1]);

    const patch = many.map(({ id }, n) => ({
      id,
      title: 'Mistake',
      keywords: ['boat', 'sunk'],
      date: n % 2 ? '1990' : null,
      ...(n % 10 === 0 && { src_path: 'c.png' }),
    }));
    const dry = await write('PATCH', '/imgs?dry_run=true', patch);
    expect(await index()).toBe(0);
    expect(await everything()).toEqual(before);
    const patched = await write('PATCH', '/imgs', patch);
    expect(patched).toMatchObject({ num_total: size, num_good: size });
    const changes = await changesOf(patched.operation_id);
    expect(changes).toHaveLength(size);
    expect(await changesOf(dry.operation_id)).toEqual(changes);
    expect(await index()).toBe(size);
    const after = await everything();
    for (const part of ['answers', 'records', 'documents'] as const) expect(after[part]).not.toEqual(before[part]);

    const undone = await write('POST', `/ops/${patched.operation_id}/undo`);
    expect(undone).toMatchObject({ num_total: size, num_good: size });
    expect(await index()).toBe(size);
    const { history, ...restored } = await everything();
    const { history: formerly, ...former } = before;
    expect(restored).toEqual(former);
    expect(history.slice(0, formerly.length)).toEqual(formerly);
    const back = changes.map(({ fields, ...change }) => ({
      ...change,
      fields: fields.map(({ field, before: from, after: to }: Record<string, unknown>) => ({
        field,
        before: to,
        after: from,
      })),
    }));
    const undoing = await changesOf(undone.operation_id);
    expect(
      undoing.map(({ fields, ...change }) => ({
        ...change,
        fields: fields.map(({ field, before: from, after: to }: Record<string, unknown>) => ({
          field,
          before: from,
          after: to,
        })),
      })),
    ).toEqual(back);
  },
  600_000,
);
