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

const one = { src_path: 'p.png' };
const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

type Records = readonly { operation_id: number }[];
const idsOf = (records: Records) => records.map(({ operation_id: id }) => id);

describe('an operation record', () => {
  it('of a finished write has every field of the contract, and the additive ones', async () => {
    client = await world.client();
    const written = await client.write('POST', '/imgs?lang=en', [
      { id: 'a', ...one },
      { id: 'b', ...one, date: '2023-02-30' },
    ]);
    const { status, headers, body } = await client.rest('GET', `/ops/${written.operation_id}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(body).toEqual({
      operation_id: written.operation_id,
      method: 'add',
      resource: 'image',
      num_total: 2,
      num_good: 1,
      num_bad: 1,
      is_started: true,
      is_finished: true,
      is_aborted: false,
      all_good: false,
      do_wait: true,
      do_urgent: false,
      do_strict: false,
      idle_ms: Date.parse(body.started_at) - Date.parse(body.created_at),
      exec_ms: Date.parse(body.finished_at) - Date.parse(body.started_at),
      created_at: expect.stringMatching(time),
      started_at: expect.stringMatching(time),
      finished_at: expect.stringMatching(time),
      stages: [
        { stage: 'store', name: 'store', num_total: 2, num_good: 1, num_bad: 1, is_finished: true },
        { stage: 'analyze', name: 'analyse', num_total: 0, num_good: 0, num_bad: 0, is_finished: true },
      ],
      analysis_errors: [],
      warnings: [],
      errors: [
        {
          id: 1,
          msg: "invalid_field: date '2023-02-30' is not YYYY-MM-DD, YYYY-MM or YYYY (id 'b')",
          ref: 'b',
          code: 'invalid_field',
          field: 'date',
        },
      ],
    });
    expect(body).toEqual(written);
  });

  it('has all_good true while no element has failed', async () => {
    client = await world.client();
    expect(await client.write('POST', '/imgs/a', one)).toMatchObject({ all_good: true, num_good: 1, errors: [] });
  });

  it.each([
    ['do_urgent', '?urgent=true'],
    ['do_strict', '?strict=true'],
    ['do_wait', '?wait=true'],
  ])('says %s where the write had %s', async (name, query) => {
    client = await idle.client();
    const { body } = await client.rest('DELETE', `/imgs/a${query}`, undefined, { Prefer: 'wait=0' });
    const record = (await client.rest('GET', `/ops/${body.operation_id}`)).body;
    const flags = { do_urgent: false, do_strict: false, do_wait: false, [name]: true };
    expect(record).toMatchObject(flags);
  });

  it.each(['0', '-1', '999999', '+5', '007', '1_000_000', '9223372036854775808', '99999999999999999999'])(
    'that is not there answers 404: %s',
    async (id) => {
      client = await idle.client();
      const { status, body } = await client.rest('GET', `/ops/${id}`);
      expect([status, body]).toEqual([404, { detail: 'Operation not found' }]);
    },
  );

  it.each(['GET', 'DELETE'])('is named by an integer, else %s answers 422', async (method) => {
    client = await idle.client();
    const { status, body } = await client.rest(method, '/ops/abc');
    expect([status, body.detail]).toEqual([
      422,
      [
        {
          type: 'int_parsing',
          loc: ['path', 'op_id'],
          msg: 'Input should be a valid integer, unable to parse string as an integer',
          input: 'abc',
        },
      ],
    ]);
  });
});

describe('the list of operations', () => {
  /** Seven operations, oldest first: add, upd, upd, del, del (finished by abort), add, add. */
  let ids: number[];

  beforeAll(async () => {
    client = await idle.client();
    const sent: [method: string, path: string, body?: unknown][] = [
      ['POST', '/imgs/a', one],
      ['PUT', '/imgs/a', one],
      ['PATCH', '/imgs/a', {}],
      ['DELETE', '/imgs/a'],
      ['DELETE', '/imgs', [{ id: 'a' }]],
      ['POST', '/imgs/b', one],
      ['POST', '/imgs/c', one],
    ];
    ids = [];
    for (const [method, path, body] of sent) ids.push((await client.rest(method, path, body)).body.operation_id);
    await client.rest('DELETE', `/ops/${ids[4]}`);
  });

  const pick = (...places: number[]) => places.map((place) => ids[place]);

  it('is a bare array of operation records, newest first', async () => {
    const { status, body } = await client.rest('GET', '/ops');
    expect([status, idsOf(body)]).toEqual([200, ids.toReversed()]);
    expect(body[2]).toEqual((await client.rest('GET', `/ops/${ids[4]}`)).body);
    expect(Object.keys(body[0])).toEqual(Object.keys((await client.rest('GET', `/ops/${ids[6]}`)).body));
  });

  it('answers the same at /ops/, without a redirect', async () => {
    const { status, headers, body } = await client.rest('GET', '/ops/?limit=2');
    expect([status, idsOf(body), headers.get('x-total-count')]).toEqual([200, pick(6, 5), '7']);
  });

  it.each(['2147483648', '806134539468963053568'])('is empty at page %s, far beyond the last', async (page) => {
    const { status, body } = await client.rest('GET', `/ops?page=${page}`);
    expect([status, body]).toEqual([200, []]);
  });

  it('keeps in its links everything else that was asked', async () => {
    const { headers } = await client.rest('GET', '/ops?note=a?b&method=add&limit=1');
    expect(headers.get('link')).toBe('</ops?note=a%3Fb&method=add&limit=1&page=2>; rel="next"');
  });

  it('is empty for a tenant that has written nothing', async () => {
    const { status, headers, body } = await (await idle.client()).rest('GET', '/ops');
    expect([status, body, headers.get('x-total-count'), headers.get('link')]).toEqual([200, [], '0', null]);
  });

  it.each([
    ['method=add', [6, 5, 0]],
    ['method=upd', [2, 1]],
    ['method=del', [4, 3]],
    ['method=multiple', []],
    ['resource=image', [6, 5, 4, 3, 2, 1, 0]],
    ['resource=video', []],
    ['is_finished=true', [4]],
    ['is_finished=0', [6, 5, 3, 2, 1, 0]],
    ['method=del&is_finished=no', [3]],
    ['created_after=2020-01-01', [6, 5, 4, 3, 2, 1, 0]],
    ['created_after=2020-01-01T00:00:00.000Z&method=upd', [2, 1]],
    ['created_after=2999-01-01T00:00:00%2B02:00', []],
  ])('filtered by %s holds and counts what fits', async (query, places) => {
    const { status, headers, body } = await client.rest('GET', `/ops?${query}`);
    expect([status, idsOf(body)]).toEqual([200, pick(...places)]);
    expect(headers.get('x-total-count')).toBe(String(places.length));
  });

  it('by created_after holds only what came later than that moment', async () => {
    const { created_at: moment } = (await client.rest('GET', `/ops/${ids[3]}`)).body;
    const all = (await client.rest('GET', '/ops')).body as { operation_id: number; created_at: string }[];
    const later = all.filter(({ created_at: created }) => created > moment);
    expect(later.length).toBeLessThan(4);
    const { body } = await client.rest('GET', `/ops?created_after=${moment}`);
    expect(idsOf(body)).toEqual(idsOf(later));
  });

  it.each([
    ['limit=3', [6, 5, 4], '</ops?limit=3&page=2>; rel="next"'],
    [
      'limit=3&page=2',
      [3, 2, 1],
      '</ops?limit=3&page=1>; rel="first", </ops?limit=3&page=1>; rel="prev", </ops?limit=3&page=3>; rel="next"',
    ],
    ['limit=3&page=3', [0], '</ops?limit=3&page=1>; rel="first", </ops?limit=3&page=2>; rel="prev"'],
    ['limit=7', [6, 5, 4, 3, 2, 1, 0], null],
    ['limit=1000&page=1', [6, 5, 4, 3, 2, 1, 0], null],
    ['method=upd&limit=1', [2], '</ops?method=upd&limit=1&page=2>; rel="next"'],
    ['page=9', [], '</ops?page=1>; rel="first", </ops?page=1>; rel="prev"'],
  ])('of ?%s is that page, with links to its neighbors', async (query, places, link) => {
    const { headers, body } = await client.rest('GET', `/ops?${query}`);
    expect([idsOf(body), headers.get('link')]).toEqual([pick(...places), link]);
  });

  it('walked by its links gives every operation once', async () => {
    const seen: number[] = [];
    for (let path: string | undefined = '/ops?limit=2'; path !== undefined;) {
      const answer = await client.rest('GET', path);
      seen.push(...idsOf(answer.body));
      path = /<([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(ids.toReversed());
  });

  it.each([
    ['page=0', 'page', 'greater_than_equal', { ge: 1 }],
    ['limit=0', 'limit', 'greater_than_equal', { ge: 1 }],
    ['limit=1001', 'limit', 'less_than_equal', { le: 1000 }],
    ['method=post', 'method', 'enum', { expected: "'add', 'upd', 'del' or 'multiple'" }],
    ['resource=imgs', 'resource', 'enum', { expected: "'video', 'image' or 'celebs'" }],
    ['is_finished=maybe', 'is_finished', 'bool_parsing', undefined],
    ['created_after=yesterday', 'created_after', 'datetime_parsing', undefined],
    ['created_after=2026-02-30', 'created_after', 'datetime_parsing', undefined],
    ['created_after=9999-12-31T23:59-01:00', 'created_after', 'datetime_parsing', undefined],
  ])('with ?%s answers 422', async (query, name, type, ctx) => {
    const { status, body } = await client.rest('GET', `/ops?${query}`);
    const input = query.split('=')[1];
    const msg = expect.any(String);
    expect([status, body.detail]).toEqual([422, [{ type, loc: ['query', name], msg, input, ...(ctx && { ctx }) }]]);
  });
});

describe('the list of operations with many errors', () => {
  beforeEach(async () => {
    client = await world.client();
  });

  it('carries the errors of each operation, by position', async () => {
    const sent = [];
    for (const count of [1, 3, 2]) {
      const elements = Array.from({ length: count }, (_, i) => ({ id: `m${i}` }));
      sent.push(await client.write('DELETE', '/imgs', elements));
    }
    const { body } = await client.rest('GET', '/ops');
    expect(body).toEqual(sent.toReversed());
    expect(body.map(({ errors }: { errors: unknown[] }) => errors.length)).toEqual([2, 3, 1]);
  });
});
