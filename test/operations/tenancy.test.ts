import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { declaredTenantStatements, forTenant } from '../../src/tenants/index.ts';
import type { TenantDb, TenantStatement } from '../../src/tenants/index.ts';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';
import { send, tenantIdOf } from './support.ts';

let world: World;
let mine: Client;
let theirs: Client;

beforeAll(async () => {
  world = await openWorld();
  mine = await world.client();
  theirs = await world.client();
  await world.picture('p.png', { width: 7, height: 5 });
  for (const client of [mine, theirs]) {
    const title = client === mine ? 'mine' : 'theirs';
    await client.write('POST', '/imgs/shared', { src_path: 'p.png', title });
    await client.write('POST', `/imgs/${title}`, { src_path: 'p.png', title });
  }
});
afterAll(() => world.close());

describe('an id', () => {
  it('names another record for each tenant', async () => {
    for (const [client, title] of [[mine, 'mine'] as const, [theirs, 'theirs'] as const]) {
      expect((await client.rest('GET', '/imgs/shared?fields=title')).body).toEqual({ title });
      expect((await client.graphql('{ image(id: "shared") { title } }')).data).toEqual({ image: { title } });
    }
  });

  it("of another tenant's record reads as one that does not exist", async () => {
    const [other, none] = [await mine.rest('GET', '/imgs/theirs'), await mine.rest('GET', '/imgs/nothing')];
    expect([other.status, other.body]).toEqual([404, { detail: 'Image not found' }]);
    expect([none.status, none.body]).toEqual([other.status, other.body]);
    expect(await mine.graphql('{ image(id: "theirs") { title } }')).toEqual({ data: { image: null } });
  });

  it.each([
    ['PUT', { src_path: 'p.png', title: 'changed' }],
    ['PATCH', { title: 'changed' }],
    ['DELETE', undefined],
  ])("of another tenant's record cannot be written by %s", async (method, body) => {
    const record = await mine.write(method, '/imgs/theirs', body);
    expect(record).toMatchObject({ num_good: 0, num_bad: 1, errors: [{ code: 'not_found', ref: 'theirs' }] });
    expect((await theirs.rest('GET', '/imgs/theirs?fields=title')).body).toEqual({ title: 'theirs' });
  });

  it('is free for a tenant although another one has it', async () => {
    const third = await world.client();
    expect(await third.write('POST', '/imgs/shared', { src_path: 'p.png' })).toMatchObject({ num_good: 1 });
    expect((await mine.rest('GET', '/imgs/shared?fields=title')).body).toEqual({ title: 'mine' });
  });
});

describe('a list', () => {
  it("of images holds and counts the tenant's own only", async () => {
    const { body } = await mine.rest(
      'GET',
      '/imgs?fields=title&fields=image_id&count=true&sort_by=image_id&sort_order=asc',
    );
    expect(body).toEqual({
      results: [
        { image_id: 'mine', title: 'mine' },
        { image_id: 'shared', title: 'mine' },
      ],
      count: 2,
      facets: {},
    });
    expect((await mine.graphql('{ images { count } }')).data).toEqual({ images: { count: 2 } });
  });

  it("goes on in the tenant's own images with another tenant's cursor", async () => {
    const path = '/imgs?fields=title&sort_by=image_id&sort_order=asc&limit=1&cursor=';
    const { cursor } = (await theirs.rest('GET', path)).body;
    const { body } = await mine.rest('GET', path.replace('limit=1', 'limit=9') + cursor);
    expect(body.results.map(({ title }: { title: string }) => title)).not.toContain('theirs');
  });

  it("of operations holds and counts the tenant's own only", async () => {
    const own = await world.client();
    const id = await send(own, 'DELETE', '/imgs/x');
    const { body, headers } = await own.rest('GET', '/ops');
    expect([body.map((record: { operation_id: number }) => record.operation_id), headers.get('x-total-count')]).toEqual(
      [[id], '1'],
    );
    const { data } = await own.graphql('{ operations { count results { id } } }');
    expect(data).toEqual({ operations: { count: 1, results: [{ id }] } });
  });
});

describe('an operation', () => {
  it('of another tenant reads as one that does not exist', async () => {
    const id = await send(theirs, 'DELETE', '/imgs/x');
    const answer = await mine.rest('GET', `/ops/${id}`);
    expect([answer.status, answer.body]).toEqual([404, { detail: 'Operation not found' }]);
    const query = 'query ($id: BigInt!) { operation(id: $id) { id } }';
    expect(await mine.graphql(query, { id })).toEqual({ data: { operation: null } });
    const abort = 'mutation ($id: BigInt!) { abortOperation(id: $id) { id } }';
    expect(await mine.graphql(abort, { id })).toEqual({ data: { abortOperation: null } });
  });
});

describe("a tenant's Prisma client", () => {
  let db: TenantDb;
  let other: number;
  beforeAll(async () => {
    db = forTenant(world.backing.database, await tenantIdOf(world, mine));
    other = await tenantIdOf(world, theirs);
  });

  it('narrows every condition to the tenant and lets none widen it', async () => {
    const conditions = [
      {},
      { tenantId: other },
      { OR: [{ tenantId: other }, { imageId: 'theirs' }] },
      { AND: [{ imageId: 'theirs' }] },
      { NOT: { tenantId: db.tenantId } },
    ];
    const counts = await Promise.all(conditions.map((where) => db.prisma.image.count({ where })));
    expect(counts).toEqual([2, 0, 0, 0, 0]);
    const tenants = await db.prisma.tenant.findMany({ select: { id: true } });
    expect(tenants).toEqual([{ id: db.tenantId }]);
  });

  it.each([
    ['writes', () => db.prisma.image.deleteMany({})],
    ['models that belong to no tenant', () => db.prisma.serviceProcess.findMany({})],
  ])('refuses %s', async (_, act) => {
    await expect(act()).rejects.toThrow(/is not allowed for the client of a tenant/);
  });
});

/** Tables whose rows carry a tenant. */
const tables =
  'image|video|operation|operation_chunk|operation_error|operation_event|query_image|tenant_lease|api_key|key_use|rate_window|audit|pair_verdict|duplicate_search|duplicate_group|duplicate_member';

/** The parts of a statement that stand in parentheses of their own, and what is left around them. */
function scopes(text: string): string[] {
  const inner: string[] = [];
  let rest = text.replace(/\s+/g, ' ');
  for (let before = ''; before !== rest;) {
    before = rest;
    rest = rest.replace(/\(([^()]*)\)/g, (whole, part: string) => {
      if (!/\b(SELECT|INSERT|UPDATE|DELETE)\b/.test(part)) return whole.replace('(', '‹').replace(')', '›');
      inner.push(part);
      return ' … ';
    });
  }
  return [...inner, rest];
}

/** What lets a scope reach rows of other tenants, in words; empty for a statement that keeps to its own. */
function leaks({ text }: TenantStatement): string[] {
  return scopes(text).flatMap((scope) => {
    const found: string[] = [];
    const insert = new RegExp(`INSERT INTO (${tables})(?: AS \\w+)? ‹([^‹›]*)›(.*)`).exec(scope);
    if (insert !== null) {
      const place = (insert[2] ?? '').split(', ').indexOf('tenant_id');
      const values = /(?:VALUES ‹|SELECT )(.*?)(?: FROM |$)/.exec(insert[3] ?? '')?.[1] ?? '';
      if (splitTop(values)[place] !== '$1') found.push(`INSERT INTO ${insert[1]} without $1 as tenant_id`);
    }
    const reach = new RegExp(`(?:FROM|JOIN|(?<!DO )UPDATE|DELETE FROM) (${tables})\\b`).exec(scope);
    if (reach !== null && !/(?:^|[ .])tenant_id = \$1\b/.test(scope)) found.push(`${reach[0]} without tenant_id = $1`);
    if (/tenant_id = \$1 OR\b|\bOR (?:\w+\.)?tenant_id = \$1/.test(scope)) found.push('tenant_id = $1 under OR');
    return found;
  });
}

/** Splits at the commas that no bracket encloses. */
function splitTop(list: string): string[] {
  let depth = 0;
  const parts = [''];
  for (const sign of list) {
    if (sign === '‹') depth += 1;
    if (sign === '›') depth -= 1;
    if (sign === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += sign;
  }
  return parts.map((part) => part.trim());
}

describe('every statement over rows of tenants', () => {
  beforeAll(async () => {
    // Some are declared when they are first needed.
    for (const path of ['/imgs', '/imgs?sort_by=title&cursor=', '/imgs/x', '/imgs/x?fields=title'])
      await mine.rest('GET', path);
  });

  it('compares tenant_id with $1 wherever it reads, changes or deletes, and inserts $1 as tenant_id', () => {
    const statements = declaredTenantStatements();
    expect(statements.length).toBeGreaterThan(20);
    expect(statements.flatMap((statement) => leaks(statement).map((leak) => `${statement.name}: ${leak}`))).toEqual([]);
  });

  it.each([
    ['SELECT title FROM image WHERE image_id = $2', ['FROM image without tenant_id = $1']],
    ['SELECT title FROM image WHERE tenant_id = $2', ['FROM image without tenant_id = $1']],
    ['SELECT title FROM image WHERE tenant_id = $1 OR true', ['tenant_id = $1 under OR']],
    ['DELETE FROM image WHERE image_id = $2', ['DELETE FROM image without tenant_id = $1']],
    ['UPDATE image SET title = $2', ['UPDATE image without tenant_id = $1']],
    ['INSERT INTO image (image_id, tenant_id) VALUES ($1, $2)', ['INSERT INTO image without $1 as tenant_id']],
    ['INSERT INTO image (tenant_id, title) SELECT $2, f($1, 2)', ['INSERT INTO image without $1 as tenant_id']],
    [
      'WITH a AS (SELECT id FROM operation WHERE id = $2) SELECT FROM image WHERE tenant_id = $1',
      ['FROM operation without tenant_id = $1'],
    ],
    ['SELECT (SELECT count(*) FROM image) FROM operation WHERE tenant_id = $1', ['FROM image without tenant_id = $1']],
    ['INSERT INTO image (title, tenant_id) SELECT f($3, 2), $1 FROM x', []],
    ['SELECT title FROM image i WHERE i.tenant_id = $1 AND lower(title) = $2', []],
  ])('would be caught: %s', (text, expected) => {
    expect(leaks({ name: '', text, forTenant: true })).toEqual(expected);
  });
});
