import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { flipped, hashOf, insertHashed } from '../similarity/hashed.ts';
import { command } from '../support/command.ts';
import { cloneDatabase, onDatabase } from '../support/database.ts';
import { full } from '../support/effort.ts';
import { run } from '../support/program.ts';

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  clone = await cloneDatabase(inject('postgresUrl'));
  const cat = hashOf('cat');
  const pictures = [
    { id: 'cat', hash: cat },
    { id: 'cat-near', hash: flipped(cat, 6) },
    { id: 'cat-twin', hash: flipped(cat, 12) },
    { id: 'dog', hash: hashOf('dog') },
  ];
  await onDatabase(clone.url, async (client) => {
    const { rows } = await client.query<{ id: number }>(`INSERT INTO tenant (name) VALUES ('default') RETURNING id`);
    await insertHashed(client, rows[0]?.id ?? 0, pictures);
  });
});
afterAll(() => clone.drop());

const environment = () => ({ DATABASE_URL: clone.url, ADMIN_API_KEY: 'a-key-of-the-operator-0001' });

async function vitrine(...args: string[]): Promise<[code: number, output: string]> {
  const { code, output } = await command(args, environment());
  return [code, output];
}

it('looks for duplicates from the command line without a service, and honors what is said there', full, async () => {
  const judged = run(['verdict', 'cat-twin', 'cat', 'different'], environment());
  expect([await judged.ended, judged.output()]).toEqual([0, 'cat and cat-twin: different\n']);
  const [code, output] = await vitrine('duplicates', '--groups', '5');
  expect([code, output.split('\n')]).toEqual([
    0,
    [
      '1 group with 2 of 4 images (same: at most 31 of 256 bits differ)',
      '',
      'Group 1 · 2 images',
      '  cat       stored first  10 × 10',
      '  cat-near  6 bits        10 × 10',
      '',
    ],
  ]);
  const [, again] = await vitrine('duplicates', '--last', '--json');
  expect(JSON.parse(again)).toMatchObject({ count: 1, groups: [{ size: 2 }], search: { tier: 'same', numImages: 4 } });
});

it('keeps one of several images and says how that is undone', full, async () => {
  const [tried, said] = await vitrine('merge', 'cat', 'cat-near', 'nobody', '--dry-run');
  expect([tried, said]).toEqual([
    1,
    expect.stringMatching(/^1 image would be merged into cat; .*\n  nobody  not_found: /),
  ]);
  const [code, output] = await vitrine('merge', 'cat', 'cat-near');
  expect([code, output]).toEqual([
    0,
    expect.stringMatching(/^1 image merged into cat; vitrine ops undo (\d+) undoes it\n$/),
  ]);
  const [, operation = ''] = /undo (\d+)/.exec(output) ?? [];
  expect(await vitrine('ops', 'undo', operation)).toEqual([0, expect.stringContaining('good, 0 failed')]);
});

it('says of duplicates and verdicts what it does not know', full, async () => {
  expect(await vitrine('duplicates', 'contry:es')).toEqual([1, expect.stringContaining("Unknown field 'contry'")]);
  expect(await vitrine('verdict', 'cat', 'nobody', 'same')).toEqual([1, expect.stringContaining("'nobody'")]);
});
