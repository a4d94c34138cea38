import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { examine } from '../../src/doctor/index.ts';
import { command } from '../support/command.ts';
import { emptyDatabase, onDatabase } from '../support/database.ts';
import { cleanUp, newFolder } from '../support/program.ts';

afterAll(cleanUp);

/** Commands that make sense only with a catalog that is there. */
const commands: readonly (readonly string[])[] = [
  ['tenant', 'list'],
  ['key', 'list'],
  ['key', 'create', '--tenant', 'default', '--role', 'viewer', '--name', 'x'],
  ['audit'],
  ['export', 'cat', '--output', '-'],
  ['explain', 'cat'],
  ['duplicates'],
  ['history', 'a'],
  ['ops', 'show', '1'],
  ['webhook', 'list'],
  ['backup', '-'],
  ['move', 'postgres://u@127.0.0.1:1/x'],
  ['migrate', '--check'],
];

describe('a command for an existing catalog', () => {
  it('says that there is none in DATA_DIR, and creates none', async () => {
    const DATA_DIR = newFolder();
    for (const args of commands) {
      const { code, output } = await command(args, { DATA_DIR });
      expect([args, code]).toEqual([args, 1]);
      expect(output).toContain(`There is no catalog in DATA_DIR ${DATA_DIR}.\nSet DATA_DIR to the folder`);
    }
    expect(readdirSync(DATA_DIR)).toEqual([]);
    for (const args of [
      ['tenant', 'list'],
      ['move', 'postgres://u@127.0.0.1:1/x'],
    ]) {
      const { output } = await command(args, { DATA_DIR: join(DATA_DIR, 'no') });
      expect(output).toContain(`${join(DATA_DIR, 'no')}, which does not exist.`);
    }
    expect(readdirSync(DATA_DIR)).toEqual([]);
  });

  it('says that there is none in the database of DATABASE_URL, and creates no table', async () => {
    const { url, drop } = await emptyDatabase(inject('postgresUrl'));
    for (const args of commands.filter(([name]) => name !== 'move' && name !== 'migrate')) {
      const { code, output } = await command(args, { DATABASE_URL: url, DATA_DIR: newFolder() });
      expect([args, code, output]).toEqual([args, 1, expect.stringContaining('There is no catalog in the database')]);
    }
    const { rowCount } = await onDatabase(url, (client) =>
      client.query(`SELECT FROM pg_tables WHERE schemaname = 'public'`),
    );
    expect(rowCount).toBe(0);
    await drop();
  });
});

it('a command and the doctor name a variable that is probably a misspelled setting', async () => {
  const environment = { DATA_DIR: newFolder(), DATABSE_URL: 'postgres://u@h/d', AI_ANALYSIS: 'off', PORT: '1' };
  const fault = 'DATABSE_URL is not a setting of Vitrine. Did you mean DATABASE_URL?';
  const { output, results } = await command(['tenant', 'list'], environment);
  expect(output).toMatch(new RegExp(`^Warning: ${fault.replace('?', '[?]')}\n`));
  expect(results).toBe('');
  expect((await command(['doctor'], environment)).output).toContain(`· settings    ${fault}\n`);
});

describe('vitrine doctor', () => {
  const findings = async (DATA_DIR: string) => examine(readConfig({ DATA_DIR, AI_ANALYSIS: 'off', PORT: '1' }));

  it('says that there is no catalog in a new folder, and leaves it empty', async () => {
    const folder = newFolder();
    const text = `there is no catalog under ${folder} yet`;
    expect(await findings(folder)).toContainEqual(
      expect.objectContaining({ subject: 'database', state: 'note', text }),
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('reports a DATA_DIR that is no folder, and a damaged postgres.json, with all other findings', async () => {
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    expect(await findings(file)).toContainEqual({
      subject: 'disk',
      state: 'fault',
      text: `${file} cannot be written by this user: it is not a folder`,
      remedy: 'Run this as its owner, or set DATA_DIR to another folder.',
    });
    const damaged = newFolder();
    writeFileSync(join(damaged, 'postgres.json'), '{"port":');
    const found = await findings(damaged);
    expect(found.map(({ subject }) => subject)).toEqual(expect.arrayContaining(['node', 'database', 'disk']));
    expect(found).toContainEqual(
      expect.objectContaining({ subject: 'database', state: 'fault', text: expect.stringContaining('it is damaged') }),
    );
  });
});
