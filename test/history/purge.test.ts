import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { withWorld } from '../support/shared-world.ts';
import type { Client, SharedWorld } from '../support/world.ts';
import { kinds } from '../records/kinds.ts';
import { tenantIdOf } from '../operations/support.ts';

let world: SharedWorld;
withWorld.beforeAll(async ({ enterWorld }) => {
  world = await enterWorld();
});

describe.each(kinds)('purged $resource records', (kind) => {
  let client: Client;
  let one: { src_path: string };
  beforeAll(async () => {
    one = { src_path: await kind.source(world, 'p') };
  });
  beforeEach(async () => {
    client = await world.client();
  });

  const secret = 'Unmistakable';
  const purge = async (ids: string[], by = client, more = '') =>
    by.graphql(
      `mutation ($ids: [ID!]!) { r: purge${kind.type}s(ids: $ids, wait: true${more}) {
         ... on Operation { id numGood numBad errors { ref code } } } }`,
      { ids },
    );

  /** Tables of the tenant that hold a text anywhere. */
  async function tablesWith(text: string): Promise<string[]> {
    const tenantId = await tenantIdOf(world, client);
    const { pool } = world.backing.database;
    const { rows } = await pool.query(
      `SELECT c.table_name AS name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
       WHERE c.table_schema = current_schema() AND c.column_name = 'tenant_id' AND t.table_type = 'BASE TABLE'`,
    );
    const found: string[] = [];
    for (const { name } of rows) {
      const held = await pool.query(`SELECT FROM "${name}" t WHERE tenant_id = $1 AND t::text ILIKE $2`, [
        tenantId,
        `%${text}%`,
      ]);
      if (held.rowCount !== 0) found.push(name);
    }
    return found;
  }

  it('leave no value behind, in records, history or reports of dry runs', async () => {
    await client.write('POST', `${kind.path}/a`, { ...one, title: secret, keywords: [secret] });
    await client.write('PATCH', `${kind.path}/a`, { title: `${secret} 2` });
    await client.write('DELETE', `${kind.path}/a`);
    await client.write('POST', `${kind.path}/a`, { ...one, title: `${secret} 3` });
    await client.write('PATCH', `${kind.path}/a?dry_run=true`, { title: `${secret} 4` });
    await client.write('PATCH', `${kind.path}/a`, { locked_fields: [secret] });
    await client.write('POST', `${kind.path}/b`, { ...one, title: 'stays' });
    const { operation_id: patch } = await client.write('PATCH', `${kind.path}/b`, { title: 'stays here' });
    expect(await tablesWith(secret)).toEqual(
      expect.arrayContaining([
        kind.resource,
        `${kind.resource}_change`,
        'dry_change',
        'operation_error',
        'search_word',
      ]),
    );
    const { data } = await purge(['a']);
    expect(data.r).toMatchObject({ numGood: 1, numBad: 0, errors: [] });
    expect(await tablesWith(secret)).toEqual([]);
    expect((await client.rest('GET', `${kind.path}/a`)).status).toBe(404);
    expect((await client.rest('GET', `${kind.path}/a/history`)).status).toBe(404);
    expect((await client.rest('GET', `${kind.path}/b/history`)).body.count).toBe(2);
    const undone = await client.rest('POST', `/ops/${data.r.id}/undo?wait=true`);
    expect([undone.status, JSON.stringify(undone.body)]).toEqual([422, expect.stringContaining('changed nothing')]);
    expect((await client.rest('POST', `/ops/${patch}/undo?wait=true`)).body).toMatchObject({ num_good: 1 });
  });

  it('leave words that other records have, and what errors said of others', async () => {
    const words = async () => {
      const { rows } = await world.backing.database.pool.query('SELECT word FROM search_word WHERE tenant_id = $1', [
        await tenantIdOf(world, client),
      ]);
      return rows.map(({ word }) => word).toSorted();
    };
    await client.write('POST', `${kind.path}/a`, { ...one, title: 'Lonely harbor' });
    await client.write('POST', `${kind.path}/b`, { ...one, title: 'Another harbor' });
    const failed = await client.write('PATCH', kind.path, [
      { id: 'a', locked_fields: ['lonely'] },
      { id: 'b', locked_fields: ['another'] },
    ]);
    expect(await words()).toEqual(['another', 'harbor', 'lonely']);
    await purge(['a']);
    expect(await words()).toEqual(['another', 'harbor']);
    const { body } = await client.rest('GET', `/ops/${failed.operation_id}`);
    expect(body.errors).toMatchObject([
      { ref: 'a', code: 'invalid_field', msg: expect.stringContaining(`the ${kind.resource} was purged`) },
      { ref: 'b', msg: expect.stringContaining("'another'") },
    ]);
  });

  it('may be one, over REST', async () => {
    await client.write('POST', `${kind.path}/z`, { ...one, title: secret });
    expect(await client.write('POST', `${kind.path}/z/purge`)).toMatchObject({ num_good: 1, num_bad: 0 });
    expect(await tablesWith(secret)).toEqual([]);
    expect(await client.write('POST', `${kind.path}/z/purge`)).toMatchObject({ errors: [{ code: 'not_found' }] });
    const { data } = await client.graphql('{ auditTrail(limit: 1, action: "record.purged") { results { subject } } }');
    expect(data.auditTrail.results).toEqual([{ subject: `1 ${kind.resource}: z` }]);
  });

  it('may have been deleted before; of others there is nothing to purge', async () => {
    await client.write('POST', `${kind.path}/gone`, { ...one, title: secret });
    await client.write('DELETE', `${kind.path}/gone`);
    const { data } = await purge(['never', 'gone']);
    expect(data.r).toMatchObject({ numGood: 1, errors: [{ ref: 'never', code: 'not_found' }] });
    expect(await tablesWith(secret)).toEqual([]);
    expect((await purge(['gone'])).data.r).toMatchObject({ numGood: 0, numBad: 1 });
  });

  it('are those of one tenant and one kind', async () => {
    const other = await world.client();
    for (const each of [client, other]) await each.write('POST', `${kind.path}/x`, { ...one, title: 'T' });
    expect((await purge(['x'])).data.r).toMatchObject({ numGood: 1 });
    expect((await other.rest('GET', `${kind.path}/x/history`)).body.count).toBe(1);
  });

  it('are in the audit trail; a dry run removes none and is reported as any write', async () => {
    await client.write('POST', `${kind.path}/y`, one);
    expect((await purge(['y'], client, ', dryRun: true')).data.r).toMatchObject({ numGood: 1 });
    expect((await client.rest('GET', `${kind.path}/y/history`)).body.count).toBe(1);
    await purge(['y']);
    const { data } = await client.graphql('{ auditTrail(limit: 2) { results { action subject } } }');
    expect(data.auditTrail.results).toEqual([
      { action: 'record.purged', subject: `1 ${kind.resource}: y` },
      { action: 'operation.accepted', subject: `${kind.resource}s.purge` },
    ]);
  });

  it('need the right of an admin', async () => {
    const { body: me } = await client.rest('GET', '/me');
    const editor = await world.client({ role: 'editor', tenant: me.tenant });
    const { errors } = await purge(['y'], editor);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'forbidden', requiredScope: 'records:purge' });
  });
});
