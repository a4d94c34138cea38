import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { changeList } from '../../src/catalog/index.ts';
import type { ListChange } from '../../src/catalog/index.ts';
import { runsOf } from '../support/effort.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';
import { kinds } from './kinds.ts';

let world: SharedWorld;
withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
});

const many = (count: number, prefix = 'k') => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

describe.each(kinds)('a patch of a list of $resource records', (kind) => {
  let client: Client;
  let one: { src_path: string };
  beforeAll(async () => {
    client = await world.client();
    one = { src_path: await kind.source(world, 'p') };
  });

  const create = (id: string, keywords: unknown) => client.write('POST', `${kind.path}/${id}`, { ...one, keywords });
  const read = async (id: string, field = 'keywords') =>
    (await client.rest('GET', `${kind.path}/${id}?fields=${field}`)).body[field];

  it.each([
    ['adds at the end', ['a', 'b'], { add: ['c', 'd'] }, ['a', 'b', 'c', 'd']],
    ['adds once what is there or is given twice', ['a', 'b'], { add: ['b', 'c', 'c'] }, ['a', 'b', 'c']],
    ['removes', ['a', 'b', 'c'], { remove: ['b', 'x'] }, ['a', 'c']],
    ['does both', ['a', 'b'], { add: ['c'], remove: ['a'] }, ['b', 'c']],
    ['empties a list', ['a'], { remove: ['a'] }, []],
    ['begins a list', null, { add: ['a'] }, ['a']],
    ['leaves none where there was none', null, { remove: ['a'] }, null],
    ['distinguishes letters', ['Sea'], { add: ['sea'], remove: ['SEA'] }, ['Sea', 'sea']],
  ])('%s', async (title, before, change, after) => {
    const id = title.replaceAll(' ', '-');
    await create(id, before);
    expect(await client.write('PATCH', `${kind.path}/${id}`, { keywords: change })).toMatchObject({ num_good: 1 });
    expect(await read(id)).toEqual(after);
  });

  it('of a batch changes each record, and leaves other lists and fields', async () => {
    for (const id of ['b0', 'b1']) {
      await client.write('POST', `${kind.path}/${id}`, { ...one, title: 'T', keywords: ['x'], categories: [id] });
    }
    const record = await client.write('PATCH', kind.path, [
      { id: 'b0', keywords: { add: ['y'] } },
      { id: 'b1', keywords: ['z'], categories: { remove: ['b1'], add: ['c'] } },
      { id: 'missing', keywords: { add: ['y'] } },
    ]);
    expect(record).toMatchObject({ num_good: 2, num_bad: 1, errors: [{ id: 2, code: 'not_found' }] });
    expect([await read('b0'), await read('b0', 'categories')]).toEqual([['x', 'y'], ['b0']]);
    expect([await read('b1'), await read('b1', 'categories'), await read('b1', 'title')]).toEqual([['z'], ['c'], 'T']);
  });

  it.each([
    [
      'too many elements in all',
      { add: many(2, 'new') },
      'keywords would have 1001 elements; at most 1000 are allowed',
    ],
    ['too many elements to add', { add: many(1001) }, 'keywords must have at most 1000 elements'],
    ['an element that is too long', { add: ['x'.repeat(201)] }, 'keywords must have at most 200 characters'],
    [
      'an element that is added and removed',
      { add: ['a', 'b'], remove: ['b'] },
      "keywords cannot both add and remove 'b'",
    ],
  ])('fails for %s, and the record stays as it is', async (title, change, message) => {
    const id = title.replaceAll(' ', '-');
    await create(id, many(999));
    const good = { id: `${id}-good`, keywords: { add: ['a'] } };
    await create(good.id, null);
    const record = await client.write('PATCH', kind.path, [{ id, keywords: change }, good]);
    expect(record).toMatchObject({ num_good: 1, num_bad: 1 });
    expect(record.errors).toMatchObject([{ id: 0, code: 'invalid_field', field: 'keywords' }]);
    expect(record.errors[0].msg).toContain(message);
    expect(await read(id)).toEqual(many(999));
  });

  it('is refused with its place where it is no change', async () => {
    const detail = async (method: string, path: string, body: unknown) =>
      (await client.rest(method, `${kind.path}${path}`, body)).body.detail;
    const noList = { type: 'list_type', msg: 'Input should be a valid list' };
    for (const value of [{}, { append: ['a'] }, 'a', 1]) {
      expect(await detail('PATCH', '/p', { keywords: value })).toMatchObject([
        { ...noList, loc: ['body', 'keywords'] },
      ]);
    }
    expect(await detail('PATCH', '/p', { keywords: { add: 'a', remove: [1], also: 2 } })).toMatchObject([
      { ...noList, loc: ['body', 'keywords', 'add'], input: 'a' },
      { type: 'string_type', loc: ['body', 'keywords', 'remove', '0'], input: 1 },
      { type: 'extra_forbidden', loc: ['body', 'keywords', 'also'], input: 2 },
    ]);
    for (const method of ['POST', 'PUT']) {
      const body = { ...one, keywords: { add: ['a'] } };
      expect(await detail(method, '/p', body)).toMatchObject([{ ...noList, loc: ['body', 'keywords'] }]);
    }
  });

  it('is an input of its own in GraphQL', async () => {
    await create('g', ['a', 'b']);
    const update = (mutation: string, input: string) =>
      client.graphql(
        `mutation { r: ${mutation}${kind.type}s(${kind.list}: [{ id: "g", ${input} }], wait: true) {
           ... on Operation { numGood errors { code field } } } }`,
      );
    expect((await update('update', 'changeKeywords: { add: ["c"], remove: ["a"] }')).data.r).toMatchObject({
      numGood: 1,
    });
    expect(await read('g')).toEqual(['b', 'c']);
    expect((await update('update', 'changeKeywords: null')).data.r).toMatchObject({ numGood: 1 });
    expect(await read('g')).toEqual(['b', 'c']);
    const { errors } = await update('update', 'keywords: ["x"], changeKeywords: { add: ["c"] }');
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'invalid_argument', argument: 'changeKeywords' });
    const replaced = await update('replace', `srcPath: "${one.src_path}", changeKeywords: { add: ["c"] }`);
    expect(replaced.data.r).toEqual({ numGood: 0, errors: [{ code: 'invalid_field', field: 'keywords' }] });
  });
});

describe('random changes of a list', () => {
  const element = fc.constantFrom(...many(6));
  const change = fc.record({ add: fc.array(element), remove: fc.array(element) }).map(({ add, remove }) => ({
    add: add.filter((each) => !remove.includes(each)),
    remove,
  }));

  /** The change by its words: element after element. */
  function byHand(list: readonly string[], { add = [], remove = [] }: ListChange): string[] {
    const changed = [...list];
    for (const each of remove) if (changed.includes(each)) changed.splice(changed.indexOf(each), 1);
    for (const each of add) if (!changed.includes(each)) changed.push(each);
    return changed;
  }

  it('end where changes by hand do', () => {
    fc.assert(
      fc.property(fc.uniqueArray(element), fc.array(change), (list, changes) => {
        let [now, twin]: [readonly string[] | null, readonly string[]] = [list, list];
        for (const each of changes) [now, twin] = [changeList('keywords', now, each), byHand(twin, each)];
        expect(now).toEqual(twin);
      }),
      { numRuns: runsOf('values') },
    );
  });
});
