import { execFileSync } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { command } from '../support/command.ts';
import { cleanUp, newFolder } from '../support/program.ts';

afterAll(cleanUp);
/** What a command says that fails before it needs a database. */
const said = async (args: readonly string[]) => {
  const { code, output } = await command(args, { DATABASE_URL: 'postgres://u@127.0.0.1:1/x', DATA_DIR: newFolder() });
  expect([args, code]).toEqual([args, 1]);
  return output;
};

describe('the file that a command writes', () => {
  it.each([['backup'], ['export', '--output']])('is no device, pipe or folder: %s %s', async (...args) => {
    const folder = newFolder();
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(await said([...args, pipe])).toContain(
      `${pipe} is a device or a pipe. Name a file, or - for standard output.`,
    );
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    expect(await said([...args, folder])).toContain(`${folder} is a folder. Name a file in it.`);
  });
});

it('vitrine mcp says what an address is', async () => {
  expect(await said(['mcp', '--url', 'nonsense'])).toContain('--url takes the address of a service, such as http://');
});
