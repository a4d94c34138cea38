import { readdirSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { command } from '../support/command.ts';
import { cleanUp, newFolder } from '../support/program.ts';

afterAll(cleanUp);

it.each([
  [['import', ''], 'source'],
  [['backup', ''], 'file'],
  [['migrate', '--grant', ''], '--grant'],
  [['import', 'x', '--from', 'immich', '--key-file', '', '--into', ''], '--key-file and of --into'],
  [['purge', '--yes', 'a', ''], 'id'],
  [['similar', ''], 'file'],
  [['tenant', 'create', ''], 'name'],
  [['export', '--output', ''], '--output'],
])('an empty argument is refused before anything is done: %j', async (args, name) => {
  const DATA_DIR = newFolder();
  const { code, output } = await command(args, { DATA_DIR });
  expect([code, output, readdirSync(DATA_DIR)]).toEqual([1, `The value of ${name} is empty.\n`, []]);
});

it('an empty formula finds all records, and is no fault of the arguments', async () => {
  const { output } = await command(['export', ''], { DATA_DIR: newFolder() });
  expect(output).toContain('There is no catalog');
});
