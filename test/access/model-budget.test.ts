import { describe, expect, it } from 'vitest';
import { createModelBudget, setTenant } from '../../src/tenants/index.ts';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';

let world: SharedWorld;
let spend: ReturnType<typeof createModelBudget>;
withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
  spend = createModelBudget(world.backing.database, { caption: 0.1, ocr: 0.5 });
});

/** A tenant with these settings. */
async function tenantWith(...settings: string[]): Promise<Readonly<{ client: Client; id: number }>> {
  const client = await world.client();
  const { tenant } = (await client.rest('GET', '/me')).body;
  const { id } = await setTenant(world.backing.database, tenant, settings);
  return { client, id };
}

async function spendAll(id: number, ...capabilities: string[]): Promise<boolean[]> {
  const all: boolean[] = [];
  for (const capability of capabilities) all.push(await spend(id, capability));
  return all;
}

const query = (text: string, ...values: unknown[]) => world.backing.database.pool.query(text, values);

describe('the budget of a tenant for models', () => {
  it('has no end unless one is set, and is counted', async () => {
    const { client, id } = await tenantWith();
    expect(await spendAll(id, 'caption', 'ocr', 'nsfw')).toEqual([true, true, true]);
    const { data } = await client.graphql('{ tenantState { limits { name used limit } } }');
    expect(data.tenantState.limits).toContainEqual({ name: 'model_requests_today', used: 3, limit: null });
  });

  it('ends with a number of calls, exactly, however many are made at once', async () => {
    const { client, id } = await tenantWith('ai_requests_day=5');
    const all = await Promise.all(Array.from({ length: 20 }, () => spend(id, 'caption')));
    expect(all.filter(Boolean)).toHaveLength(5);
    const { data } = await client.graphql('{ tenantState { limits { name used limit } } }');
    expect(data.tenantState.limits).toContainEqual({ name: 'model_requests_today', used: 5, limit: 5 });
  });

  it('ends with what the calls cost, by their prices; free ones go on', async () => {
    const { id } = await tenantWith('ai_cost_day=0.8');
    expect(await spendAll(id, 'ocr', 'ocr', 'caption', 'caption', 'caption', 'caption', 'nsfw')).toEqual(
      [true, false, true, true, true, false, true], // prettier-ignore
    );
  });

  it('may be nothing', async () => {
    expect(await spendAll((await tenantWith('ai_requests_day=0')).id, 'nsfw')).toEqual([false]);
    expect(await spendAll((await tenantWith('ai_cost_day=0')).id, 'caption', 'nsfw')).toEqual([false, true]);
  });

  it('begins anew with each day of its time zone', async () => {
    const { id } = await tenantWith('ai_requests_day=1', 'time_zone=Pacific/Kiritimati');
    expect(await spendAll(id, 'nsfw', 'nsfw')).toEqual([true, false]);
    await query('UPDATE model_use SET day = day - 1 WHERE tenant_id = $1', id);
    expect(await spendAll(id, 'nsfw', 'nsfw')).toEqual([true, false]);
    const { rows } = await query(
      `SELECT day = (now() AT TIME ZONE 'Pacific/Kiritimati')::date AS is_today FROM model_use WHERE tenant_id = $1`,
      id,
    );
    expect(rows).toEqual([{ is_today: true }]);
  });

  it('is that of one tenant, and follows its settings at once', async () => {
    const [first, second] = [await tenantWith('ai_requests_day=1'), await tenantWith('ai_requests_day=1')];
    expect(await spendAll(first.id, 'nsfw', 'nsfw')).toEqual([true, false]);
    expect(await spendAll(second.id, 'nsfw')).toEqual([true]);
    const { tenant } = (await first.client.rest('GET', '/me')).body;
    await setTenant(world.backing.database, tenant, ['ai_requests_day=none']);
    expect(await spendAll(first.id, 'nsfw')).toEqual([true]);
  });

  it('is nobody’s where no tenant pays, as on the command line', async () => {
    expect(await spend(undefined, 'ocr')).toBe(true);
  });
});
