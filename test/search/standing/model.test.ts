import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runsOf } from '../../support/effort.ts';
import { openWorld } from '../../support/world.ts';
import type { Client, World } from '../../support/world.ts';

let world: World;
let client: Client;

const formulas = [
  'country:Spain',
  'country:Spain AND width>100',
  'country:(Spain,France)',
  'NOT country:Spain',
  'dog',
  'dogs OR keywords:beach',
  'title:cat NOT dog',
  '"a dog"',
  'do*',
  'keywords:beach keywords:sea',
  'keywords:be*',
  'has:title',
  'no:country',
  'width<=100',
  'date:2024',
  'date:>=2024-05',
  'id:r1',
  'city:"New York"',
  'is:nsfw OR country:peru',
  'saved:f0 OR saved:f4',
] as const;

beforeAll(async () => {
  world = await openWorld();
  await world.picture('wide.png', { width: 160, height: 90 });
  await world.picture('small.png', { width: 80, height: 60 });
  client = await world.client({ tenant: 'agency' });
  for (const [k, formula] of formulas.entries()) {
    const { errors } = await client.graphql(
      'mutation ($name: String!, $formula: String!) { saveFormula(name: $name, formula: $formula, watching: true) { name } }',
      { name: `f${k}`, formula },
    );
    if (errors !== undefined) throw new Error(JSON.stringify(errors));
  }
});
afterAll(() => world.close());

const ids = ['r0', 'r1', 'r2', 'r3', 'r4'];
const some = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const fields = fc.record(
  {
    country: some('Spain', 'spain', 'France', 'Peru', null),
    city: some('New York', 'new york', 'York'),
    title: some('A dog', 'Dogs and a cat', 'The cat', 'a "quoted" do', null),
    keywords: some(['beach'], ['Beach', 'sea'], ['bear'], []),
    date: some('2024', '2024-05-03', '2023-12', null),
    nsfw: some(true, false, null),
  },
  { requiredKeys: [] },
);
const write = fc.oneof(
  fc.record({ kind: some('put'), records: fc.array(fc.tuple(some(...ids), fields), { minLength: 1, maxLength: 4 }) }),
  fc.record({ kind: some('patch'), records: fc.array(fc.tuple(some(...ids), fields), { minLength: 1, maxLength: 4 }) }),
  fc.record({
    kind: some('delete'),
    records: fc.array(fc.tuple(some(...ids), fields), { minLength: 1, maxLength: 2 }),
  }),
  fc.record({ kind: some('undo'), records: fc.constant([]) }),
);
type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;

/** Carries a write out, through the API. */
async function apply({ kind, records }: Write, last: number | null): Promise<number | null> {
  const byId = [...new Map(records).entries()];
  if (kind === 'undo') {
    if (last === null) return null;
    // What changed nothing is not undone.
    const { status, body } = await client.rest('POST', `/ops/${last}/undo?on_conflict=overwrite&wait=true`);
    expect([200, 422]).toContain(status);
    return status === 200 ? body.operation_id : last;
  }
  if (kind === 'delete')
    return (
      await client.write(
        'POST',
        '/imgs/delete',
        byId.map(([id]) => ({ id })),
      )
    ).operation_id;
  const src = (id: string) => ({ src_path: id < 'r2' ? 'wide.png' : 'small.png' });
  const body = byId.map(([id, own]) => ({ id, ...own, ...(kind === 'put' && src(id)) }));
  return (await client.write(kind === 'put' ? 'PUT' : 'PATCH', '/imgs', body)).operation_id;
}

/** One document that searches by every formula. */
const searches = `{ ${formulas.map((q, k) => `f${k}: images(q: ${JSON.stringify(q)}, limit: 100) { results { imageId } }`).join(' ')} }`;

/** What each formula finds, as `formula id`. */
async function search(): Promise<Set<string>> {
  const { data, errors } = await client.graphql(searches);
  expect(errors).toBeUndefined();
  const found = Object.entries(data as Record<string, { results: { imageId: string }[] }>);
  return new Set(found.flatMap(([name, { results }]) => results.map(({ imageId }) => `${name} ${imageId}`)));
}

/** The events after a number, once everything is evaluated. */
async function eventsAfter(number: number): Promise<Readonly<{ events: string[]; last: number }>> {
  const { pool } = world.backing.database;
  for (let left = 400; ; left -= 1) {
    const { rowCount } = await pool.query('SELECT FROM standing_outbox LIMIT 1');
    if (rowCount === 0) break;
    if (left === 0) throw new Error('changes are not evaluated');
    await sleep(5);
  }
  const { rows } = await pool.query<{ text: string; number: number }>(
    `SELECT replace(kind, 'record.', '') || ' ' || formula || ' ' || ref AS text, number::int FROM notification
     WHERE number > $1 AND formula IS NOT NULL ORDER BY number`,
    [number],
  );
  return { events: rows.map(({ text }) => text).toSorted(), last: rows.at(-1)?.number ?? number };
}

it('reports exactly the difference of full searches before and after each write', { timeout: 3_600_000 }, async () => {
  let [before, number, last] = [await search(), 0, null as number | null];
  const writes = fc.sample(write, { numRuns: runsOf('writes that are watched') });
  for (const each of writes) {
    last = await apply(each, last);
    const after = await search();
    const reported = await eventsAfter(number);
    number = reported.last;
    const differences = [
      ...[...after].filter((pair) => !before.has(pair)).map((pair) => `matched ${pair}`),
      ...[...before].filter((pair) => !after.has(pair)).map((pair) => `unmatched ${pair}`),
    ];
    expect({ write: each, reported: reported.events }).toEqual({ write: each, reported: differences.toSorted() });
    before = after;
  }
});
