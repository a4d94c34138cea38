import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replayHistory, witnessRecords } from '../../chaos/replay.ts';
import { undoEffects } from '../../chaos/undo.ts';
import type { Rule } from '../../chaos/undo.ts';
import { kinds } from '../records/kinds.ts';
import { runsOf } from '../support/effort.ts';
import { openWorld } from '../support/world.ts';
import type { World } from '../support/world.ts';

/** What the catalog should hold: records by id, each in the row that it was made in. */
type Fields = Readonly<{ title: string | null; city: string | null; keywords: readonly string[] | null }>;
type Entry = Readonly<{ row: number; file: number } & Fields>;
type State = ReadonlyMap<string, Entry>;
/** A state before and after an operation, for each of them. */
type Done = Readonly<{ before: State; after: State; operation: number }>;

const names = ['title', 'city', 'keywords'] as const;
/** What others are noticed by. A video's file is another one whenever it is read. */
const noticed = [...names, 'file'] as const;
const empty: Fields = { title: null, city: null, keywords: null };
const ids = ['a', 'b', 'c'] as const;

const fields = fc.record(
  {
    title: fc.constantFrom('Sea', 'Lake', null),
    city: fc.constantFrom('Oslo', 'Bergen', null),
    keywords: fc.constantFrom<string[] | null>(['x'], ['x', 'y'], [], null),
  },
  { requiredKeys: [] },
);
const someIds = fc.uniqueArray(fc.constantFrom(...ids), { minLength: 1 });
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ act: fc.constant('POST' as const), ids: someIds, fields }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('PATCH' as const), ids: someIds, fields }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('PUT' as const), ids: someIds, fields }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('DELETE' as const), ids: someIds }) },
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant('undo' as const),
      back: fc.nat({ max: 5 }),
      rule: fc.constantFrom<Rule>('skip', 'overwrite'),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Sequences that ended elsewhere once. */
const examples: [Step[]][] = [
  // A record that was deleted and came back as it had been earlier was measured by what its next change replaced.
  [
    [
      { act: 'POST', ids: ['a'], fields: { city: 'Bergen' } },
      { act: 'DELETE', ids: ['a'] },
      { act: 'undo', back: 0, rule: 'skip' },
      { act: 'PATCH', ids: ['a'], fields: { title: 'Lake', city: 'Oslo', keywords: ['x'] } },
      { act: 'undo', back: 1, rule: 'overwrite' },
      { act: 'undo', back: 3, rule: 'overwrite' },
      { act: 'PUT', ids: ['a'], fields: { keywords: null } },
    ],
  ],
  // Nothing was said of a value with which a record came back.
  [
    [
      { act: 'POST', ids: ['a'], fields: { city: 'Bergen' } },
      { act: 'DELETE', ids: ['a'] },
      { act: 'undo', back: 0, rule: 'skip' },
      { act: 'PATCH', ids: ['a'], fields: { city: null } },
      { act: 'PATCH', ids: ['a'], fields: { city: 'Oslo' } },
      { act: 'undo', back: 2, rule: 'overwrite' },
      { act: 'undo', back: 4, rule: 'overwrite' },
      { act: 'undo', back: 2, rule: 'skip' },
    ],
  ],
];

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** What a write makes of a state. */
function write(
  state: State,
  { act, ids: written, ...rest }: Exclude<Step, { act: 'undo' }>,
  { nextRow, nextFile }: Readonly<Record<'nextRow' | 'nextFile', () => number>>,
): State {
  const next = new Map(state);
  const given = 'fields' in rest ? rest.fields : {};
  for (const id of written) {
    const there = state.get(id);
    if (act === 'POST' && there === undefined) next.set(id, { row: nextRow(), file: nextFile(), ...empty, ...given });
    if (act === 'PATCH' && there !== undefined) next.set(id, { ...there, ...given });
    if (act === 'PUT' && there !== undefined) next.set(id, { row: there.row, file: nextFile(), ...empty, ...given });
    if (act === 'DELETE') next.delete(id);
  }
  return next;
}

/** What undoing makes of a state. */
function undo(state: State, { before, after }: Done, rule: Rule): State {
  const next = new Map(state);
  for (const id of new Set([...before.keys(), ...after.keys()])) {
    const [from, to] = [before.get(id), after.get(id)];
    if (same(from, to)) continue;
    const isOne = from === undefined || to === undefined || from.row === to.row;
    const effects = isOne
      ? [{ id, before: from, after: to }]
      : [
          { id, before: from, after: undefined },
          { id, before: undefined, after: to },
        ];
    const { entry } = undoEffects(state.get(id), effects, rule, noticed);
    if (entry === undefined) next.delete(id);
    else next.set(id, entry);
  }
  return next;
}

let world: World;
beforeAll(async () => {
  world = await openWorld();
  await witnessRecords(world.backing.database.pool);
});
afterAll(() => world.close());

describe.each(kinds)('a random sequence of writes and undos of $resource records', (kind) => {
  let source: string;
  beforeAll(async () => {
    source = await kind.source(world, 'a');
  });

  async function run(steps: readonly Step[]): Promise<void> {
    const client = await world.client();
    const read = async () => {
      const { data } = await client.graphql(
        `{ r: ${kind.list} { results { ${kind.resource}Id title city keywords } } }`,
      );
      const found = (data.r.results as (Fields & Record<string, unknown>)[]).map(
        ({ title, city, keywords, ...named }) =>
          [String(named[`${kind.resource}Id`]), { title, city, keywords }] as const,
      );
      return new Map(found);
    };
    const plain = (state: State) =>
      Object.fromEntries(
        [...state].toSorted().map(([id, { title, city, keywords }]) => [id, { title, city, keywords }]),
      );
    let [state, rows, files]: [State, number, number] = [new Map(), 0, 0];
    const next = { nextRow: () => (rows += 1), nextFile: () => (kind.resource === 'video' ? (files += 1) : 0) };
    const done: Done[] = [];
    for (const taken of steps) {
      const before = state;
      if (taken.act === 'undo') {
        const target = done.at(-1 - taken.back);
        if (target === undefined || same([...target.before], [...target.after])) continue;
        state = undo(state, target, taken.rule);
        const path = `/ops/${target.operation}/undo?on_conflict=${taken.rule}`;
        const { operation_id: operation } = await client.write('POST', path);
        done.push({ before, after: state, operation });
      } else {
        state = write(state, taken, next);
        const given = 'fields' in taken ? taken.fields : {};
        const isWhole = taken.act === 'POST' || taken.act === 'PUT';
        const elements = taken.ids.map((id) => ({ id, ...(isWhole && { src_path: source }), ...given }));
        const { operation_id: operation } = await client.write(taken.act, kind.path, elements);
        done.push({ before, after: state, operation });
      }
      expect(Object.fromEntries([...(await read())].toSorted())).toEqual(plain(state));
    }
    // From the last to the first, so that nothing was changed since.
    for (const { before, after, operation } of done.toReversed()) {
      if (!same([...before], [...after])) {
        expect(await client.write('POST', `/ops/${operation}/undo`)).toMatchObject({ num_bad: 0 });
      }
      expect(Object.fromEntries([...(await read())].toSorted())).toEqual(plain(before));
    }
    expect((await read()).size).toBe(0);
  }

  it('ends where a model says, and backwards at nothing; its history replayed gives every state of the tables', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 14 }), run), {
      numRuns: Math.ceil(runsOf('writes and undos') / kinds.length),
      examples,
      interruptAfterTimeLimit: 100_000,
    });
    expect(await replayHistory(world.backing.database.pool)).toEqual([]);
  }, 200_000);
});

const tampering = {
  'lacks a change': `DELETE FROM image_change WHERE action = 'changed'`,
  'lacks a deletion': `DELETE FROM image_change WHERE action = 'deleted'`,
  'has another value': `UPDATE image_change SET before = before || '{"title": "x"}' WHERE action = 'changed'`,
  'has changes in another order': `UPDATE image_change SET id = -id WHERE action = 'changed'`,
};

it.each(Object.entries(tampering))('the replay notices a history that %s', async (_what, tamper) => {
  const own = await openWorld();
  const { pool } = own.backing.database;
  try {
    await witnessRecords(pool);
    const client = await own.client();
    const source = { src_path: await own.picture('a.png') };
    await client.write('POST', '/imgs', [
      { id: 'a', ...source, title: 'One' },
      { id: 'b', ...source },
    ]);
    for (const title of ['Two', 'Three']) await client.write('PATCH', '/imgs/a', { title });
    await client.write('DELETE', '/imgs/b');
    expect(await replayHistory(pool)).toEqual([]);
    await pool.query(tamper);
    expect(await replayHistory(pool)).not.toEqual([]);
  } finally {
    await own.close();
  }
});
