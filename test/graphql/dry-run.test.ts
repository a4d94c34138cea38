import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, openWorld } from '../support/world.ts';
import type { Client, World } from '../support/world.ts';

let world: World;
let client: Client;
let key: string;

beforeAll(async () => {
  world = await openWorld();
  await world.picture('p.png');
  client = await world.client();
  await client.write('POST', '/imgs', [
    { id: 'a', src_path: 'p.png' },
    { id: 'b', src_path: 'p.png' },
    { id: 'c', src_path: 'p.png' },
  ]);
  await client.graphql('mutation { saveFormula(name: "kept", formula: "sea") { name } }');
  await client.graphql('mutation { judgePair(first: "a", second: "b", verdict: different) { verdict } }');
  const made = await client.graphql('mutation { createApiKey(name: "old", role: viewer) { key { id } } }');
  key = made.data.createApiKey.key.id;
});
afterAll(() => world.close());

/** Mutations that write at once, with what they take in parentheses and ask for in braces. */
const writes: readonly Readonly<{ name: string; args: () => string; fields: string }>[] = [
  { name: 'saveFormula', args: () => 'name: "new", formula: "sea|lake"', fields: 'name formula' },
  { name: 'saveFormula', args: () => 'name: "kept", formula: "lake", replace: true', fields: 'name formula' },
  { name: 'deleteSavedFormula', args: () => 'name: "kept"', fields: 'name formula' },
  { name: 'judgePair', args: () => 'first: "a", second: "c", verdict: variant', fields: 'firstId secondId verdict' },
  { name: 'withdrawVerdict', args: () => 'first: "a", second: "b"', fields: 'firstId secondId verdict' },
  { name: 'rotateApiKey', args: () => `id: ${key}, overlapSeconds: 60`, fields: 'key { name role isValid }' },
  { name: 'revokeApiKey', args: () => `id: ${key}`, fields: 'name isValid' },
  { name: 'createApiKey', args: () => 'name: "new", role: editor', fields: 'key { name role isValid }' },
];

async function stored(): Promise<readonly unknown[]> {
  const tables = ['saved_formula', 'pair_verdict', 'audit', 'image_change', 'record_attachment'];
  const { pool } = world.backing.database;
  const rows = tables.map((table) => pool.query(`SELECT to_jsonb(t) AS row FROM ${table} t ORDER BY 1`));
  const keys = pool.query(`SELECT to_jsonb(k) - 'last_used_at' AS row FROM api_key k ORDER BY 1`);
  return (await Promise.all([...rows, keys])).map((found) => found.rows);
}

describe.each(writes)('the dry run of $name', ({ name, args, fields }) => {
  it('answers as the write does, and stores nothing', async () => {
    const before = await stored();
    const dry = await client.graphql(`mutation { ${name}(${args()}, dryRun: true) { ${fields} } }`);
    expect(dry.errors).toBeUndefined();
    expect(dry.data[name]).not.toBeNull();
    expect(await stored()).toEqual(before);
    expect(await client.graphql(`mutation { ${name}(${args()}) { ${fields} } }`)).toEqual(dry);
    expect(await stored()).not.toEqual(before);
  });
});

describe('a dry run', () => {
  it('refuses what the write would refuse', async () => {
    const faults = async (dryRun: boolean) =>
      (await client.graphql(`mutation { saveFormula(name: "new", formula: "sea", dryRun: ${dryRun}) { name } }`))
        .errors;
    expect(await faults(true)).toMatchObject([{ extensions: { code: 'invalid_argument', argument: 'name' } }]);
    expect(await faults(true)).toEqual(await faults(false));
  });

  it('of a new key gives a secret that is no key', async () => {
    const document = 'mutation { createApiKey(name: "dry", role: viewer, dryRun: true) { secret } }';
    const { secret } = (await client.graphql(document)).data.createApiKey;
    expect((await createClient(world.url, secret).rest('GET', '/imgs')).status).toBe(401);
  });

  it('is asked for over REST as well', async () => {
    const said = await client.rest('PUT', '/verdicts/b/c?dry_run=true', { verdict: 'same' });
    expect(said).toMatchObject({ status: 200, body: { verdict: 'same' } });
    expect((await client.rest('DELETE', '/verdicts/b/c')).status).toBe(404);
    await client.rest('PUT', '/verdicts/b/c', { verdict: 'same' });
    expect((await client.rest('DELETE', '/verdicts/b/c?dry_run=true')).status).toBe(200);
    expect((await client.rest('DELETE', '/verdicts/b/c')).status).toBe(200);
  });
});
