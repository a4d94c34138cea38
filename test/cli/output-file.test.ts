import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { lastWords } from '../../src/cli/faults.ts';
import { command } from '../support/command.ts';
import { cleanUp, newFolder } from '../support/program.ts';

afterAll(cleanUp);
/** What a command says that fails before it needs a database. */
const said = async (args: readonly string[]) => {
  const { code, output } = await command(args, { DATABASE_URL: 'postgres://u@127.0.0.1:1/x', DATA_DIR: newFolder() });
  expect([args, code]).toEqual([args, 1]);
  return output;
};

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

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

  it.each([
    ['export', '--output'],
    ['tag', '--provider', 'builtin,local', '.', '--page'],
  ])('needs a folder that is there, which is said before the work begins: %s', async (...args) => {
    const none = join(newFolder(), 'none');
    expect(await said([...args, join(none, 'file')])).toBe(`Cannot use ${none}: there is no such file or folder.\n`);
  });

  it.skipIf(!existsSync('/dev/full'))('may be on a full disk, which a sentence says', () => {
    const error = thrownBy(() => writeSync(openSync('/dev/full', 'w'), 'x'));
    expect(lastWords(error)).toBe('The output cannot be written: the disk is full.');
  });

  it('needs space in the database, too', () => {
    const full = Object.assign(new Error('could not extend file "base/1/2": No space left on device'), {
      code: '53100',
    });
    expect(lastWords(full)).toContain('\nFree some space on the disk of PostgreSQL.');
  });
});

it.each(['nonsense', 'http://[', 'ftp://example.com'])(
  'an address such as %s is refused in a sentence',
  async (address) => {
    expect(await said(['mcp', '--url', address])).toContain('--url takes the address of a service, such as http://');
    const listen = ['webhook', 'listen', '--forward-to', address];
    expect(await said(listen)).toContain('--forward-to takes an address such as http://');
  },
);

it.each(['::', '0.0.0.0', '::1', 'localhost'])('vitrine mcp finds a service that listens on %s', async (host) => {
  const folder = newFolder();
  const { output } = await command(['mcp'], { HOST: host, DATA_DIR: folder });
  // The address is made before the key is read.
  const key = join(folder, 'admin-key');
  expect(output).toBe(
    `The key in ${key} cannot be read: there is no such file or folder. Name a file with --key-file.\n`,
  );
});
