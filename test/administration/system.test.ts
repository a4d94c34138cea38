import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

let world: World;
let operator: Client;
let admin: Client;
beforeAll(async () => {
  world = await openWorld({ environment: { RATE_LIMIT_READ: '1000/min' } });
  operator = await world.client({ tenant: 'default' });
  admin = await world.client({ tenant: 'agency' });
  await world.picture('a.png');
  await admin.write('POST', '/imgs', [
    { id: 'a', src_path: 'a.png' },
    { id: 'b', src_path: 'none.png' },
  ]);
});
afterAll(() => world.close());

const sums = 'openOperations oldestSeconds workers toStore toAnalyze stored notStored analyzed notAnalyzed';

describe('the state of a tenant', () => {
  it('says what waits, and what was stored and failed since a moment', async () => {
    const ask = (since: string) =>
      admin.graphql(`query ($since: DateTime) { tenantState(since: $since) { activity { ${sums} } } }`, { since });
    const all = await ask('2020-01-01T00:00:00Z');
    expect(all.data.tenantState.activity).toEqual({
      openOperations: 0,
      oldestSeconds: null,
      workers: 1,
      toStore: 0,
      toAnalyze: 0,
      stored: 1,
      notStored: 1,
      analyzed: 0,
      notAnalyzed: 0,
    });
    const now = await ask(new Date().toISOString());
    expect(now.data.tenantState.activity).toMatchObject({ stored: 0, notStored: 0 });
  });

  it('counts what the tenant has against its limits', async () => {
    await world.backing.database.pool.query(`UPDATE tenant SET max_images = 5 WHERE name = 'agency'`);
    await expect
      .poll(async () => (await admin.graphql('{ tenantState { limits { name used limit } } }')).data.tenantState.limits)
      .toContainEqual({ name: 'images', used: 1, limit: 5 });
    const { data } = await admin.graphql(
      '{ tenantState { limits { name used limit } rates { rateClass requests seconds used } } }',
    );
    expect(data.tenantState.limits).toContainEqual({ name: 'videos', used: 0, limit: null });
    expect(data.tenantState.limits).toContainEqual({ name: 'saved_formulas', used: 0, limit: 10_000 });
    const [{ used, ...rate }] = data.tenantState.rates;
    expect(rate).toEqual({ rateClass: 'read', requests: 1000, seconds: 60 });
    expect(used).toBeGreaterThan(1);
  });

  it('is of that tenant only', async () => {
    const { data } = await operator.graphql(
      '{ tenantState(since: "2020-01-01") { activity { stored } limits { name used } } }',
    );
    expect(data.tenantState.activity.stored).toBe(0);
    expect(data.tenantState.limits[0]).toEqual({ name: 'images', used: 0 });
  });
});

describe('the state of the service', () => {
  it('is the work of all tenants, and what the doctor finds, for an admin key of the first tenant', async () => {
    const { data } = await operator.graphql(
      '{ serviceState(since: "2020-01-01") { version activity { stored } findings { subject state text remedy } } }',
    );
    expect(data.serviceState.activity.stored).toBe(1);
    const subjects = data.serviceState.findings.map(({ subject }: { subject: string }) => subject);
    expect(subjects).toEqual(expect.arrayContaining(['node', 'database', 'work', 'meilisearch', 'disk']));
  });

  it('is for a key of the first tenant that is narrowed to it, and for no admin of another tenant', async () => {
    const narrow = await world.client({ tenant: 'default', scopes: ['service:manage'] });
    expect((await narrow.graphql('{ serviceState { version } }')).errors).toBeUndefined();
    expect((await narrow.graphql('{ images { count } }')).errors).toMatchObject([
      { extensions: { code: 'forbidden' } },
    ]);
    const { errors } = await admin.graphql('{ serviceState { version } }');
    expect(errors).toMatchObject([
      { extensions: { code: 'forbidden', hint: `Use an admin key of the tenant 'default'` } },
    ]);
    const { data } = await admin.graphql('{ me { scopes } }');
    expect(data.me.scopes).toContain('tenant:read');
    expect(data.me.scopes).not.toContain('service:manage');
  });

  it('is no reason why an admin of another tenant could not make a second admin key', async () => {
    const { errors } = await admin.graphql('mutation { createApiKey(name: "second", role: admin) { secret } }');
    expect(errors).toBeUndefined();
  });
});
