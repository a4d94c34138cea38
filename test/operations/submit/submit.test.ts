import { describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/observability/logger.ts';
import { submitOperation } from '../../../src/operations/index.ts';
import type { Submission } from '../../../src/operations/index.ts';
import { forTenant } from '../../../src/tenants/index.ts';
import { withWorld } from '../../support/shared-world.ts';
import type { SharedWorld } from '../../support/world.ts';
import { finished, operation, send, tenantIdOf, until } from '../support.ts';

/** A world whose writes are applied, and one where nobody applies them. */
let world: SharedWorld;
let idle: SharedWorld;

withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  idle = await enterWorld({ worker: false });
  await world.picture('p.png', { width: 7, height: 5 });
});

const one = { src_path: 'p.png' };

describe('an accepted write', () => {
  it('is answered 202 with its number, how many elements it has and a message', async () => {
    const client = await idle.client();
    const { status, body } = await client.rest('POST', '/imgs', [
      { id: 'a', ...one },
      { id: 'b', ...one },
    ]);
    expect(status).toBe(202);
    expect(body).toEqual({
      operation_id: expect.any(Number),
      n_total: 2,
      msg: `accepted; follow it as operation ${body.operation_id}`,
    });
  });

  it('is its own operation with its own elements, also when many arrive together', async () => {
    const client = await idle.client();
    const names = Array.from({ length: 60 }, (_, i) => (i % 7 === 0 ? `picture-${i}-\u0000` : `picture-${i}`));
    const ids = await Promise.all(
      names.map((title) => send(client, 'POST', '/imgs', [{ id: title.slice(0, 9), title, ...one }])),
    );
    const { rows } = await idle.backing.database.pool.query<{ id: number; elements: string; events: number }>(
      `SELECT c.operation_id AS id, c.elements::text AS elements,
         (SELECT count(*) FROM operation_event e WHERE e.operation_id = c.operation_id) AS events
       FROM operation_chunk c WHERE c.operation_id = ANY($1)`,
      [ids],
    );
    const titles = new Map(rows.map(({ id, elements }) => [id, JSON.parse(elements)[0].values.title as string]));
    expect(ids.map((id) => titles.get(id))).toEqual(names);
    expect(rows.map(({ events }) => events)).toEqual(names.map(() => 1));
  });

  it('waits unstarted, with nothing counted and all_good null, until a worker comes', async () => {
    const client = await idle.client();
    const id = await send(client, 'POST', '/imgs?urgent=true&strict=true', [{ id: 'a', ...one }]);
    expect(await operation(client, id)).toEqual({
      operation_id: id,
      method: 'add',
      resource: 'image',
      num_total: 1,
      num_good: 0,
      num_bad: 0,
      is_started: false,
      is_finished: false,
      is_aborted: false,
      all_good: null,
      do_wait: false,
      do_urgent: true,
      do_strict: true,
      idle_ms: expect.any(Number),
      exec_ms: 0,
      created_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
      started_at: null,
      finished_at: null,
      stages: [
        { stage: 'store', name: 'store', num_total: 1, num_good: 0, num_bad: 0, is_finished: false },
        { stage: 'analyze', name: 'analyse', num_total: 0, num_good: 0, num_bad: 0, is_finished: false },
      ],
      analysis_errors: [],
      warnings: [],
      errors: [],
    });
  });

  it('counts its waiting time while it waits', async () => {
    const client = await idle.client();
    const id = await send(client, 'DELETE', '/imgs/a');
    const before = (await operation(client, id)).idle_ms as number;
    const after = await until(client, id, { idle_ms: expect.toSatisfy((ms: number) => ms > before) });
    expect(after).toMatchObject({ is_started: false, exec_ms: 0 });
  });

  it.each([
    ['POST', '/imgs/a', one, 'add'],
    ['PUT', '/imgs/a', one, 'upd'],
    ['PUT', '/imgs/a?upsert=true', one, 'upd'],
    ['PATCH', '/imgs/a', {}, 'upd'],
    ['DELETE', '/imgs/a', undefined, 'del'],
    ['POST', '/imgs', [{ id: 'a', ...one }], 'add'],
    ['PUT', '/imgs', [{ id: 'a', ...one }], 'upd'],
    ['PATCH', '/imgs', [{ id: 'a' }], 'upd'],
    ['DELETE', '/imgs', [{ id: 'a' }], 'del'],
    ['POST', '/imgs/delete', [{ id: 'a' }], 'del'],
  ])('from %s %s is recorded as method %4$s', async (method, path, body, recorded) => {
    const client = await idle.client();
    const id = await send(client, method, path, body);
    expect(await operation(client, id)).toMatchObject({ method: recorded, resource: 'image', num_total: 1 });
  });

  it('is still applied when the call to the queue is lost', async () => {
    const client = await world.client();
    const { database } = world.backing;
    const queue = { ...world.backing.queue, call: () => Promise.reject(new Error('away')) };
    const id = await submitOperation(
      forTenant(database, await tenantIdOf(world, client)),
      { queue, logger: createLogger('silent') },
      submission([{ id: 'a', values: { srcPath: 'p.png' } }]),
    );
    expect(await finished(client, id)).toMatchObject({ num_good: 1, num_bad: 0 });
  });
});

function submission(elements: Submission['elements']): Submission {
  return { kind: 'images.create', elements, wait: false, urgent: false, strict: false, lang: null, apiKeyId: null };
}

describe('the size of an operation', () => {
  it.each([
    [0, 'too_short', { field_type: 'List', min_length: 1, actual_length: 0 }],
    [10_001, 'too_long', { field_type: 'List', max_length: 10_000, actual_length: 10_001 }],
  ])('of %i elements is refused as %s before anything is stored', async (count, type, context) => {
    const client = await idle.client();
    const elements = Array.from({ length: count }, (_, i) => ({ id: `e${i}`, values: {} }));
    const submitted = submitOperation(
      forTenant(idle.backing.database, await tenantIdOf(idle, client)),
      { queue: idle.backing.queue, logger: createLogger('silent') },
      submission(elements),
    );
    await expect(submitted).rejects.toMatchObject({ code: 'invalid_argument', details: { type, context } });
    expect((await client.rest('GET', '/ops')).body).toEqual([]);
  });

  it('may be 10 000 elements, counted and reported one by one', async () => {
    const client = await world.client();
    const elements = Array.from({ length: 10_000 }, (_, i) => ({ id: `e${i}`, ...(i % 10 === 0 && one) }));
    const record = await client.write('POST', '/imgs', elements);
    expect(record).toMatchObject({ num_total: 10_000, num_good: 1_000, num_bad: 9_000, all_good: false });
    const errors = elements.flatMap(({ id }, position) => {
      const error = { id: position, ref: id, code: 'source_missing', field: 'src' };
      return position % 10 === 0
        ? []
        : [{ ...error, msg: `source_missing: give exactly one of src and src_path (id '${id}')` }];
    });
    expect(record.errors).toEqual(errors);
    expect((await client.rest('GET', '/imgs?limit=1&count=true')).body.count).toBe(1_000);
  });
});

describe('an id that comes twice in a batch', () => {
  it.each([
    ['side by side', 1],
    ['far apart', 450],
  ])('fails at the later element when they stand %s', async (_, distance) => {
    const client = await world.client();
    const between = Array.from({ length: distance - 1 }, (_, i) => ({ id: `other${i}`, ...one, title: 'other' }));
    const batch = [{ id: 'twice', ...one, title: 'first' }, ...between, { id: 'twice', ...one, title: 'second' }];
    const record = await client.write('POST', '/imgs', batch);
    expect(record).toMatchObject({ num_total: distance + 1, num_good: distance, num_bad: 1 });
    expect(record.errors).toEqual([
      {
        id: distance,
        msg: "duplicate_in_batch: an earlier element has this id (id 'twice')",
        ref: 'twice',
        code: 'duplicate_in_batch',
        field: 'id',
      },
    ]);
    expect((await client.rest('GET', '/imgs/twice?fields=title')).body).toEqual({ title: 'first' });
  });

  it('fails at every later element, even where the first one failed itself', async () => {
    const client = await world.client();
    const { errors, num_bad: bad } = await client.write('PATCH', '/imgs', [{ id: 'x' }, { id: 'x' }, { id: 'x' }]);
    expect(bad).toBe(3);
    expect(errors.map((error: { code: string }) => error.code)).toEqual([
      'not_found',
      'duplicate_in_batch',
      'duplicate_in_batch',
    ]);
  });
});

describe('a write that waits', () => {
  it.each([
    ['POST', '/imgs/new', one, 201],
    ['POST', '/imgs/known', one, 200],
    ['PUT', '/imgs/known', one, 200],
    ['PUT', '/imgs/new?upsert=true', one, 201],
    ['PUT', '/imgs/known?upsert=true', one, 200],
    ['PATCH', '/imgs/known', { title: 'T' }, 200],
    ['DELETE', '/imgs/known', undefined, 200],
    [
      'POST',
      '/imgs',
      [
        { id: 'known', ...one },
        { id: 'new', ...one },
      ],
      201,
    ],
    [
      'PUT',
      '/imgs?upsert=true',
      [
        { id: 'known', ...one },
        { id: 'new', ...one },
      ],
      201,
    ],
    ['POST', '/imgs', [{ id: 'known', ...one }], 200],
  ])('%s %s is answered by what became of it', async (method, path, body, status) => {
    const client = await world.client();
    await client.write('POST', '/imgs/known', one);
    const answer = await client.rest(method, `${path}${path.includes('?') ? '&' : '?'}wait=true`, body);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ is_started: true, is_finished: true, do_wait: true });
    expect(answer.body).toEqual(await operation(client, answer.body.operation_id));
  });

  it('is answered 202 with the same number when the time it may take runs out, and goes on', async () => {
    const client = await idle.client();
    const answer = await client.rest('POST', '/imgs/a?wait=true', one, { Prefer: 'wait=0' });
    expect([answer.status, answer.body.n_total]).toEqual([202, 1]);
    const record = await operation(client, answer.body.operation_id);
    expect(record).toMatchObject({ do_wait: true, is_started: false, is_finished: false });
  });

  it.each(['respond-async, wait=0', 'wait=0; foo', 'WAIT=0'])('reads the seconds of Prefer: %s', async (prefer) => {
    const client = await idle.client();
    const answer = await client.rest('POST', '/imgs/a?wait=true', one, { Prefer: prefer });
    expect(answer.status).toBe(202);
  });

  it('does not wait for Prefer alone', async () => {
    const client = await idle.client();
    const answer = await client.rest('POST', '/imgs/a', one, { Prefer: 'wait=100' });
    expect(answer.status).toBe(202);
    expect((await operation(client, answer.body.operation_id)).do_wait).toBe(false);
  });
});

describe('fields that no record has', () => {
  it('are ignored, and the operation warns of each with how many elements had it', async () => {
    const client = await world.client();
    const elements = [
      { id: 'a', ...one },
      { id: 'b', ...one, autor: 'x' },
      { id: 'c', ...one, autor: 'y', foo: 1 },
    ];
    const { body } = await client.rest('POST', '/imgs?wait=true', elements);
    expect(body).toMatchObject({ num_good: 3, all_good: true });
    expect(body.warnings).toEqual([
      {
        code: 'unknown_field',
        msg: "Unknown field 'autor' was ignored; with strict it is refused",
        field: 'autor',
        count: 2,
        position: 1,
      },
      expect.objectContaining({ field: 'foo', count: 1, position: 2 }),
    ]);
    const again = await client.rest('GET', `/ops/${body.operation_id}`);
    expect(again.body.warnings).toEqual(body.warnings);
  });

  it('fail their element in a strict write, which warns of nothing', async () => {
    const client = await world.client();
    const { body } = await client.rest('POST', '/imgs?wait=true&strict=true', [{ id: 'a', ...one, autor: 'x' }]);
    expect(body).toMatchObject({ num_bad: 1, warnings: [], errors: [{ code: 'invalid_field', field: 'autor' }] });
  });

  it('are named up to twenty, and a long name in part, whatever it holds', async () => {
    const client = await world.client();
    const names = [`\u0000${'\u{1F600}'.repeat(500)}`, ...Array.from({ length: 50 }, (_, i) => `name${i}`)];
    const unknown = Object.fromEntries(names.map((name) => [name, 1]));
    const { status, body } = await client.rest('POST', '/imgs?wait=true', [{ id: 'd', ...one, ...unknown }]);
    expect([status, body.warnings.length]).toEqual([201, 20]);
    expect(body.warnings[0].field).toBe(`\uFFFD${'\u{1F600}'.repeat(63)}`);
  });
});
