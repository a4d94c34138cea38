import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';

let world: SharedWorld;
/** A world where nobody applies what is accepted. */
let idle: SharedWorld;
let client: Client;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  idle = await enterWorld({ worker: false });
  await world.picture('p.png');
});

const fields = `operation_id: id method resource num_total: numTotal num_good: numGood num_bad: numBad
  is_started: isStarted is_finished: isFinished is_aborted: isAborted all_good: allGood do_wait: doWait
  do_urgent: doUrgent do_strict: doStrict idle_ms: idleMs exec_ms: execMs created_at: createdAt
  started_at: startedAt finished_at: finishedAt
  stages { stage name num_total: numTotal num_good: numGood num_bad: numBad is_finished: isFinished }
  analysis_errors: analysisErrors { id: position msg ref kind analyzer code }
  warnings { code msg field count position } errors { id: position msg ref code field }`;
const one = { src_path: 'p.png' };

describe('an operation', () => {
  beforeEach(async () => {
    client = await world.client();
  });

  it('has the values in GraphQL that it has in REST', async () => {
    const record = await client.write('POST', '/imgs', [{ id: 'a', ...one }, { id: 'b' }, { id: 'a', ...one }]);
    const query = `query ($id: BigInt!) { operation(id: $id) { ${fields} } }`;
    expect(await client.graphql(query, { id: record.operation_id })).toEqual({ data: { operation: record } });
    expect(record.errors).toHaveLength(2);
    const list = await client.graphql(`{ operations { results { ${fields} } } }`);
    expect(list).toEqual({ data: { operations: { results: [record] } } });
  });

  it('counts its failed elements by code, each of a list its own', async () => {
    await client.write('POST', '/imgs', [{ id: 'a', ...one }]);
    await client.write('POST', '/imgs', [{ id: 'b' }, { id: 'a', ...one }, { id: 'c' }]);
    const { data } = await client.graphql('{ operations { results { errorCounts { code count } } } }');
    expect(data.operations.results).toEqual([
      {
        errorCounts: [
          { code: 'source_missing', count: 2 },
          { code: 'already_exists', count: 1 },
        ],
      },
      { errorCounts: [] },
    ]);
  });

  it.each([0, -1, 999_999, Number.MAX_SAFE_INTEGER, '42'])('that is not there is null: %j', async (id) => {
    const query = 'query ($id: BigInt!) { operation(id: $id) { id } }';
    expect(await client.graphql(query, { id })).toEqual({ data: { operation: null } });
  });

  it('is aborted while it waits, and then reads as REST has it', async () => {
    const own = await idle.client();
    const { body } = await own.rest('DELETE', '/imgs/a');
    const abort = `mutation ($id: BigInt!) { abortOperation(id: $id) { ${fields} } }`;
    const { data } = await own.graphql(abort, { id: body.operation_id });
    expect(data.abortOperation).toMatchObject({ is_finished: true, is_aborted: true, is_started: false });
    expect(data.abortOperation).toEqual((await own.rest('GET', `/ops/${body.operation_id}`)).body);
  });
});

describe('the list of operations', () => {
  let ids: number[];
  beforeAll(async () => {
    client = await idle.client();
    ids = [];
    for (const [method, path, body] of [
      ['POST', '/imgs/a', one],
      ['PATCH', '/imgs/a', {}],
      ['DELETE', '/imgs/a', undefined],
      ['DELETE', '/imgs/b', undefined],
    ] as const) {
      ids.push((await client.rest(method, path, body)).body.operation_id);
    }
    await client.rest('DELETE', `/ops/${ids[3]}`);
  });

  it.each([
    ['', [3, 2, 1, 0], 4],
    ['(limit: 1)', [3], 4],
    ['(limit: 3, page: 2)', [0], 4],
    ['(page: 9)', [], 4],
    ['(page: 2147483647, limit: 1000)', [], 4],
    ['(method: del)', [3, 2], 2],
    ['(resource: video)', [], 0],
    ['(isFinished: true)', [3], 1],
    ['(isFinished: false, method: del)', [2], 1],
    ['(isFinished: null)', [3, 2, 1, 0], 4],
    ['(createdAfter: "2999-01-01")', [], 0],
    ['(createdAfter: "2020-01-01T00:00:00Z")', [3, 2, 1, 0], 4],
  ])('%s holds what fits, newest first, and counts it', async (args, places, count) => {
    const { data } = await client.graphql(`{ operations${args} { count results { id } } }`);
    expect(data).toEqual({ operations: { count, results: places.map((place) => ({ id: ids[place] })) } });
  });

  it('may be asked for nothing but its count', async () => {
    expect((await client.graphql('{ operations { count } }')).data).toEqual({ operations: { count: 4 } });
  });
});

/** What workers of the same service send now and then is in some of the counts at most: the least one is that of the work. */
async function countRepeated(work: () => Promise<unknown>): Promise<number> {
  const counts: number[] = [];
  for (let i = 0; i < 4; i += 1) counts.push(await countStatements(work));
  return Math.min(...counts);
}

/** Counts the SQL statements that a piece of work sends through the pool, but for those of keys and of the workers. */
async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const { pool } = world.backing.database;
  const query = pool.query;
  let count = 0;
  pool.query = function counted(this: typeof pool, ...args: unknown[]) {
    const [statement] = args;
    const text = typeof statement === 'string' ? statement : String((statement as { text: unknown }).text);
    if (!/api_key|service_process|tenant_lease|operation_analysis/.test(text)) count += 1;
    return Reflect.apply(query, this, args);
  } as typeof query;
  try {
    await work();
  } finally {
    pool.query = query;
  }
  return count;
}

describe('the number of SQL statements', () => {
  const removals = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `m${i}` }));
  let few: Client;
  let many: Client;
  let largest: number;
  beforeAll(async () => {
    few = await world.client();
    many = await world.client();
    await few.write('DELETE', '/imgs', removals(1));
    for (const count of [1, 25, 3, 300, 2, 1, 1, 40]) await many.write('DELETE', '/imgs', removals(count));
    await many.write(
      'POST',
      '/imgs',
      removals(60).map(({ id }) => ({ id, ...one })),
    );
    await few.write('POST', '/imgs/m0', one);
    largest = (await many.rest('GET', '/ops?method=del')).body.find(
      (record: any) => record.num_total === 300,
    ).operation_id;
  });

  /** The same work for both tenants costs the same, however much the second one has. */
  async function compare(work: (client: Client) => Promise<unknown>): Promise<number> {
    await work(few);
    await work(many);
    const [small, large] = [await countRepeated(() => work(few)), await countRepeated(() => work(many))];
    expect(large).toBe(small);
    return large;
  }

  it('of a list of operations with their errors does not grow with either', async () => {
    const document = `{ operations { count results { ${fields} } } }`;
    expect(await compare((client) => client.graphql(document))).toBeLessThanOrEqual(3);
    expect(await compare((client) => client.rest('GET', '/ops'))).toBeLessThanOrEqual(3);
  });

  it('of one operation does not grow with its errors', async () => {
    const own = (client: Client) => (client === many ? largest : 1);
    const read = (client: Client) => client.rest('GET', `/ops/${own(client)}`);
    await read(many);
    expect(await countRepeated(() => read(many))).toBeLessThanOrEqual(2);
    const document = `query ($id: BigInt!) { operation(id: $id) { ${fields} } }`;
    const ask = () => many.graphql(document, { id: largest });
    await ask();
    expect(await countRepeated(ask)).toBeLessThanOrEqual(2);
    expect((await read(many)).body.errors).toHaveLength(300);
  });

  it('of a list of images is one, with its count, unless that has a plan of its own', async () => {
    expect(await compare((client) => client.graphql('{ images { results { imageId title keywords } cursor } }'))).toBe(
      1,
    );
    expect(await compare((client) => client.graphql('{ images { count results { imageId } } }'))).toBe(1);
    const several = '{ images(q: "width>1 title:a") { count results { imageId } } }';
    expect(await compare((client) => client.graphql(several))).toBe(2);
    expect(await compare((client) => client.rest('GET', '/imgs'))).toBe(1);
    expect(await compare((client) => client.rest('GET', '/imgs?count=true'))).toBe(1);
    expect(await compare((client) => client.rest('GET', '/imgs/m0'))).toBe(1);
  });

  it('of several images in one document is one for each set of fields', async () => {
    const document = '{ a: image(id: "m0") { title } b: image(id: "m1") { title } c: image(id: "m2") { title city } }';
    expect(await compare((client) => client.graphql(document))).toBe(2);
  });

  it('of the answer to a write that waits does not grow with its errors', async () => {
    const write = (count: number) =>
      many.write(
        'DELETE',
        '/imgs',
        Array.from({ length: count }, () => ({ id: 'none' })),
      );
    await write(1);
    // Looking whether it has ended takes a statement or two more, as the worker is quicker or slower.
    expect(await countStatements(() => write(150))).toBeLessThan(30);
  });
});
