import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { command } from '../support/command.ts';
import { cloneDatabase } from '../support/database.ts';
import { run } from '../support/program.ts';
import { firstOf, full } from '../support/effort.ts';

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  clone = await cloneDatabase(inject('postgresUrl'));
  await json('tenants', 'create', 'museum');
});
afterAll(() => clone.drop());

const environment = () => ({ DATABASE_URL: clone.url, ADMIN_API_KEY: 'a-key-of-the-operator-0001' });

const vitrine = (...args: string[]) => command(args, environment());

async function json(...args: string[]) {
  const { code, output } = await vitrine(...args, '--json');
  expect([code, output]).toEqual([0, expect.any(String)]);
  return JSON.parse(output);
}

it('manages tenants, keys and their trail from the command line', async () => {
  await json('tenants', 'create', 'agency');
  expect(await json('tenants', 'set', 'agency', 'max_images=100', 'rate_write=60/min')).toMatchObject({
    name: 'agency',
    max_images: 100,
    rate_write: '60/min',
    rate_read: 'default',
  });

  const key = await json(
    'keys',
    'create',
    '--tenant',
    'agency',
    '--name',
    'robot',
    '--scopes',
    'imgs:read, imgs:write',
  );
  expect(key).toMatchObject({ role: 'editor', scopes: ['imgs:read', 'imgs:write'], prefix: key.key.slice(0, 11) });
  const successor = await json('keys', 'rotate', key.prefix, '--overlap', '60');
  expect(successor).toMatchObject({ succeeds: key.id });
  expect(await json('key', 'revoke', String(successor.id))).toMatchObject({ revoked: true });
  const list = await vitrine('key', 'list', '--tenant', 'agency');
  expect(list.output).toContain('editor (imgs:read, imgs:write)');
  expect(list.output).not.toContain(key.key);

  const entries = await json('audit', '--tenant', 'agency');
  expect(entries.map(({ action }: { action: string }) => action)).toEqual([
    'key.revoked',
    'key.created',
    'key.rotated',
    'key.created',
    'tenant.changed',
    'tenant.changed',
    'tenant.created',
  ]);
  const shown = await vitrine('audit', '--tenant', 'agency', '--action', 'tenant.changed', '--limit', '1');
  expect(shown.output).toMatch(/operator +tenant\.changed +rate_write=60\/min/);
});

const mistakes = [
  [['tenants', 'set', 'museum', 'colour=red'], "Unknown setting 'colour'. Settings: search_verify, "],
  [['tenants', 'set', 'museum', 'rate_read=fast'], 'rate_read=fast: expected a rate such as 600/min'],
  [['keys', 'create', '--tenant', 'museum', '--name', 'x'], 'a key needs a role or scopes'],
  [['keys', 'create', '--tenant', 'museum', '--name', 'x', '--scopes', 'all'], "unknown scope 'all'"],
  [['keys', 'rotate', 'nothing'], "No valid key has the id or prefix 'nothing'."],
  [['keys', 'list', '--tenant', 'musuem'], "No tenant 'musuem'."],
  [['audit', '--since', 'yesterday'], 'Give a date such as 2027-01-31'],
  [
    ['calibrate', '.', '--near', '50', '--store'],
    '--near takes 2 to 24, --same 8 to 40, the first less than the second',
  ],
  [['duplicates', 'contry:es'], 'contry:es\n^^^^^^\n\nDid you mean country?'],
  [['verdict', 'a', 'b', 'alike'], 'Allowed choices are same, variant, different.'],
] as const;

it.each(firstOf(1, mistakes))(
  'says in a sentence what is wrong with %j, without a stack',
  full,
  async (args, sentence) => {
    const { ended, output } = run(args, environment());
    expect([await ended, output()]).toEqual([1, expect.stringContaining(sentence)]);
    expect(output()).not.toContain('    at ');
  },
);
